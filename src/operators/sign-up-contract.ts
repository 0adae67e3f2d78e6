/** What somebody may do who made an account of the sandbox alone. */
export const signUpLimits = {
  linkHours: 24,
  /** Between two mails to the same address. */
  pauseMinutes: 5,
  /** Mails a day to one address, asked for from one network, and of the whole service. */
  mailsOfEmail: 5,
  mailsOfNetwork: 20,
  mailsOfService: 500,
  hotels: 20,
  keys: 2,
  keyRequestsPerMinute: 300,
  /** Without a call by a key and without a sign-in, an account is abandoned. */
  abandonedDays: 90,
  /** Characters: a number may follow. */
  companyLengthMax: 90,
} as const
