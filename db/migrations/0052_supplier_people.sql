-- People of a supplier, who sign in to the console like operators and see its data alone (decisions/054-supplier-sessions.md).
alter table operator
  add column supplier_id int references supplier,
  add constraint operator_of_supplier_check check (supplier_id is null or role <> 'admin');
create index operator_by_supplier on operator (supplier_id) where supplier_id is not null;
