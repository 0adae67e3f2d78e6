/**
 * The codes for cancellation policies that the service ships with. A code is a readable name for the usual
 * terms; the `cancelPenalties` that the supplier sends with it decide the charge.
 *
 * `FLEX` and a number of days means free cancellation until that many days before arrival, and the first
 * night afterwards; with the ending `FS` the full stay, with `HALF` half of the stay. Times are the hotel's
 * own.
 */
export const cancelCodes = [
  { code: 'FLEX', description: 'Free cancellation until 18:00 on the day of arrival, then the first night' },
  { code: 'FREE', description: 'Free cancellation at any time before arrival' },

  { code: 'FLEX1', description: 'Free cancellation until 1 day before arrival, then the first night' },
  { code: 'FLEX2', description: 'Free cancellation until 2 days before arrival, then the first night' },
  { code: 'FLEX3', description: 'Free cancellation until 3 days before arrival, then the first night' },
  { code: 'FLEX5', description: 'Free cancellation until 5 days before arrival, then the first night' },
  { code: 'FLEX7', description: 'Free cancellation until 7 days before arrival, then the first night' },
  { code: 'FLEX14', description: 'Free cancellation until 14 days before arrival, then the first night' },
  { code: 'FLEX30', description: 'Free cancellation until 30 days before arrival, then the first night' },

  { code: 'FLEX1FS', description: 'Free cancellation until 1 day before arrival, then the full stay' },
  { code: 'FLEX2FS', description: 'Free cancellation until 2 days before arrival, then the full stay' },
  { code: 'FLEX3FS', description: 'Free cancellation until 3 days before arrival, then the full stay' },
  { code: 'FLEX5FS', description: 'Free cancellation until 5 days before arrival, then the full stay' },
  { code: 'FLEX7FS', description: 'Free cancellation until 7 days before arrival, then the full stay' },
  { code: 'FLEX14FS', description: 'Free cancellation until 14 days before arrival, then the full stay' },
  { code: 'FLEX21FS', description: 'Free cancellation until 21 days before arrival, then the full stay' },
  { code: 'FLEX30FS', description: 'Free cancellation until 30 days before arrival, then the full stay' },
  { code: 'FLEX45FS', description: 'Free cancellation until 45 days before arrival, then the full stay' },
  { code: 'FLEX60FS', description: 'Free cancellation until 60 days before arrival, then the full stay' },

  { code: 'FLEX3HALF', description: 'Free cancellation until 3 days before arrival, then half of the stay' },
  { code: 'FLEX7HALF', description: 'Free cancellation until 7 days before arrival, then half of the stay' },
  {
    code: 'FLEX14HALF',
    description: 'Free cancellation until 14 days before arrival, then half of the stay',
  },
  {
    code: 'FLEX30HALF',
    description: 'Free cancellation until 30 days before arrival, then half of the stay',
  },

  { code: 'PNR50', description: 'Half of the stay at any time after booking' },
  { code: 'PNR1N', description: 'The first night at any time after booking' },
  { code: 'NRF', description: 'Non-refundable: the full stay at any time after booking' },
  { code: 'CUSTOM', description: 'Other terms, as the penalties of the policy state' },
] as const satisfies readonly { code: string; description: string }[]
