/** A deliberate break, preloaded into a service: an advance of an account's clock is answered, and not stored. */
import { replaceSource } from '../replace-source.ts'

replaceSource([
  {
    file: 'src/sandbox/account.ts',
    from: "'update supplier set clock_ahead_ms = $2 where id = $1'",
    to: "'select $1::int, $2::float8'",
  },
])
