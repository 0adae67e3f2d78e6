-- A store that was put back has sessions that were ended and links that were used: whoever works in the console signs in anew.
create or replace function end_access_of_former_epoch() returns void language sql as $$
  delete from operator_session;
  delete from operator_sign_in_link;
$$;
