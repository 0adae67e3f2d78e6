-- Online. Letters, pairs and triples of letters: what the words of a search consist of. It is so costly for the planner that
-- it is read from the index and never computed for each row.
create or replace function search_parts(words text) returns text[] language sql immutable strict parallel safe cost 10000
return array(
  select distinct part
  from unnest(string_to_array(words, null), (string_to_array(words, null))[2:], (string_to_array(words, null))[3:])
      as letter (first, second, third)
    cross join lateral (values (first), (first || second), (first || second || third)) as parts (part)
  where strpos(part, ' ') = 0
);

drop index concurrently if exists hotel_search_by_part;

create index concurrently hotel_search_by_part on hotel_search using gin (search_parts(words));

analyze hotel_search;
