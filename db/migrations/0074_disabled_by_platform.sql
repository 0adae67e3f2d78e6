-- Whom the platform shut out, no manager of the supplier lets in again (decisions/062-sandbox-sign-up.md). Who did it before
-- isn't stored: all count as shut out by the platform, except those whose account ended unused.
alter table operator add column disabled_by_platform boolean not null default false;

update operator set disabled_by_platform = true
where supplier_id is not null and disabled_at is not null
  and not exists (
    select from sign_up join operator as first on first.id = sign_up.operator_id
    where first.supplier_id = operator.supplier_id and sign_up.ended_at = operator.disabled_at);
