-- Statements say and read an instant as milliseconds since 1970-01-01T00:00Z. Both functions are inlined where they are
-- used, so that indexes serve as if what they say were written out.
create function instant(ms float8) returns timestamptz language sql immutable parallel safe
return to_timestamp(ms / 1000);

create function epoch_ms(at timestamptz) returns float8 language sql stable parallel safe
return round(extract(epoch from at) * 1000)::float8;
