-- Expand.
-- An amount is a number with its currency. When a hotel's currency changes, its fixed taxes, flat fees and flat penalties
-- are noted as amounts of the former one, until they are pushed again (decisions/067-former-currency.md). A trigger does it,
-- so that the previous version, which doesn't know the notes, changes currencies with them too. An amount of zero is the
-- same in any currency.
alter table tax add column former_currency text;

-- Cancellation policies with a note at each flat amount that has none.
create function in_former_currency(policies jsonb, currency text) returns jsonb language sql immutable as $$
  select coalesce(jsonb_agg(
    policy
      || case when policy ? 'cancelPenalties' then jsonb_build_object('cancelPenalties', (
           select coalesce(jsonb_agg(
             case when coalesce((penalty #>> '{penaltyCharge,amount}')::numeric, 0) <> 0
                 and not penalty -> 'penaltyCharge' ? 'formerCurrency'
               then jsonb_set(penalty, '{penaltyCharge,formerCurrency}', to_jsonb(currency)) else penalty end
             order by place), '[]')
           from jsonb_array_elements(policy -> 'cancelPenalties') with ordinality as listed (penalty, place)))
         else '{}' end
      || case when policy ? 'fees' then jsonb_build_object('fees', (
           select coalesce(jsonb_agg(
             case when fee ->> 'valueType' = 'fixed' and (fee ->> 'value')::numeric <> 0 and not fee ? 'formerCurrency'
               then fee || jsonb_build_object('formerCurrency', currency) else fee end
             order by place), '[]')
           from jsonb_array_elements(policy -> 'fees') with ordinality as listed (fee, place)))
         else '{}' end
    order by place), '[]')
  from jsonb_array_elements(policies) with ordinality as listed (policy, place)
$$;

create function note_former_currency() returns trigger language plpgsql as $$
begin
  update tax set former_currency = old.currency
  where hotel_id = new.id and value_type = 'fixed' and value <> 0 and former_currency is null;
  update room_rate set cancel_policies = in_former_currency(cancel_policies, old.currency)
  where hotel_id = new.id and cancel_policies <> in_former_currency(cancel_policies, old.currency);
  return null;
end
$$;

create trigger hotel_currency after update of currency on hotel
  for each row when (old.currency is distinct from new.currency) execute function note_former_currency();
