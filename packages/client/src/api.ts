/* oxlint-disable max-lines -- Written by scripts/write-client-types.ts from the contract of the service. */

import type { CallOptions, Operation } from './operation.ts'

/** One thing that is wrong */
export type Problem = {
  /** Stable machine code */
  type: string
  message: string
  /** JSON Pointer into the request */
  path?: string
  /** The value received */
  value?: unknown
  /** What to do about it */
  hint?: string
}

export type Hotel = {
  /** The supplier's own code of the hotel */
  hotelId: string
  /** Display name */
  hotelName: string
  /** ISO 4217 code of all amounts of the hotel */
  currency: string
  /** Open for bookings */
  isAvailable: boolean
  /** Guests below this age are infants */
  minChildAge: number
  /** Guests up to this age are children, above it adults */
  maxChildAge: number
  /** ISO 3166-1 alpha-2 */
  countryCodeISO2?: string
  /** Matched to reference data by name and country, whatever the case and accents */
  city?: string
  /** Property e-mail */
  email?: string
  /** Chain of the property */
  chainCode?: string
  /** Degrees, north positive */
  latitude?: number
  /** Degrees, east positive */
  longitude?: number
  /** State or province */
  state?: string
  /** Address lines */
  address?: string[]
  phone?: {
    /** For example +33 */
    CountryAccessCode?: string
    /** Number without the country access code */
    phoneNumber?: string
  }
  /** IANA zone in which nights are counted; absent: UTC */
  timezone?: string
}

export type StoredHotel = {
  hotelId: string
  /** Display name */
  hotelName: string
  /** ISO 4217 code of all amounts of the hotel */
  currency: string
  /** Open for bookings */
  isAvailable: boolean
  /** Guests below this age are infants */
  minChildAge: number
  /** Guests up to this age are children, above it adults */
  maxChildAge: number
  /** ISO 3166-1 alpha-2 */
  countryCodeISO2?: string
  /** Matched to reference data by name and country, whatever the case and accents */
  city?: string
  /** Property e-mail */
  email?: string
  /** Chain of the property */
  chainCode?: string
  /** Degrees, north positive */
  latitude?: number
  /** Degrees, east positive */
  longitude?: number
  /** State or province */
  state?: string
  /** Address lines */
  address?: string[]
  phone?: {
    /** For example +33 */
    CountryAccessCode?: string
    /** Number without the country access code */
    phoneNumber?: string
  }
  /** IANA zone in which nights are counted; absent: UTC */
  timezone?: string
  /** The platform's identifier of the hotel; opaque and stable */
  platformHotelId: string
  /** The city of the reference data */
  cityMatched?: string
  /** Room-rate rows, archived ones included */
  productCount: number
  /** Last applied ARI push (UTC) */
  lastAriAt: string | null
  /** Rises with every push that changed something of the hotel */
  revision: number
  /** The go-live checklist. `products`: at least one is available. `ari`: an available product has a price, in the present currency, for tonight or later. Taxes are `notNeeded` until some are pushed, as a property may have none. The webhooks are those of the key that asks; they are `missing` until registered, although a contract without live price check or without reservations by HTTP push does without. */
  goLive: {
    hotels: {
      status: 'done' | 'missing' | 'notNeeded'
      /** When, as far as it is known (UTC) */
      at?: string
    }
    products: {
      status: 'done' | 'missing' | 'notNeeded'
      /** When, as far as it is known (UTC) */
      at?: string
    }
    taxes: {
      status: 'done' | 'missing' | 'notNeeded'
      /** When, as far as it is known (UTC) */
      at?: string
    }
    ari: {
      status: 'done' | 'missing' | 'notNeeded'
      /** When, as far as it is known (UTC) */
      at?: string
    }
    availabilityWebhook: {
      status: 'done' | 'missing' | 'notNeeded'
      /** When, as far as it is known (UTC) */
      at?: string
    }
    pushbookWebhook: {
      status: 'done' | 'missing' | 'notNeeded'
      /** When, as far as it is known (UTC) */
      at?: string
    }
    /** No step is missing */
    ready: boolean
  }
}

export type Occupancy = {
  /** Most guests */
  maxOccupancy: number
  /** Most adults; absent: as maxOccupancy */
  maxAdult?: number
  /** Most children; absent: as maxOccupancy */
  maxChild?: number
}

export type CancelPenalty = {
  /** true: charged when the guests do not come; false (default): by deadline */
  noShow?: boolean
  /** From when on the penalty is charged; without one it is charged from the booking on. Not looked at for no-show */
  cancelDeadline?: {
    /** D days, H hours before arrival */
    offsetTimeUnit: 'D' | 'H'
    offsetTimeValue: number
    /** Time of that day in the hotel's zone, HH:MM; absent: 00:00 */
    deadline?: string
  }
  penaltyCharge: {
    chargeBase: 'NightBase' | 'FullStay'
    /** First nights, with NightBase */
    nights?: number
    /** Per cent of the stay, with FullStay */
    percent?: number
    /** Flat amount in the hotel's currency, with FullStay */
    amount?: number | string
  }
}

export type CancelPolicy = {
  /** For example one of the cancelCodes of the reference data */
  code?: string
  /** For people */
  description?: string
  /** First arrival date of the policy; absent: always */
  startDate?: string
  /** Last arrival date, included; absent: always */
  endDate?: string
  cancelPenalties?: CancelPenalty[]
  /** Apart from taxes, and not changed by them */
  fees?: {
    name: string
    valueType: '%' | 'fixed'
    /** Percentage, or flat amount in the hotel's currency */
    value: number | string
    appliedPer: 'per_room_per_night' | 'per_person_per_night' | 'per_room_per_stay' | 'per_person_per_stay'
  }[]
}

export type Product = {
  /** The supplier's own code of the room */
  roomId: string
  /** Name of a room type of the reference data; belongs to the room */
  roomType: string
  /** The supplier's own code of the rate */
  rateId: string
  /** Display name; belongs to the room */
  roomName: string
  /** Display name; belongs to the rate */
  rateName: string
  /** false archives the room-rate */
  isAvailable: boolean
  /** Code of a meal plan of the reference data */
  mealPlan?: string
  occupancy: Occupancy
  /** Cancellation rules */
  cancelPolicies?: CancelPolicy[]
}

export type Mapping = {
  roomId: string
  roomName: string
  roomType: string
  /** The platform's identifier of the room; opaque and stable */
  platformRoomId: string
  rateId: string
  rateName: string
  /** The platform's identifier of the rate; opaque and stable */
  platformRateId: string
  mealPlan: string | null
  occupancy: Occupancy
  isAvailable: boolean
  /** `unit` or `guest`, as last pushed with a price; null before */
  pricingModel: string | null
  /** First night for which the room-rate holds anything of its own */
  ariFrom: string | null
  /** Last such night */
  ariTo: string | null
  /** When the room-rate's ARI was last changed (UTC) */
  lastAriAt: string | null
  /** `archived`: not available; `no_ari`: available but nothing is held; else `active` */
  status: 'active' | 'archived' | 'no_ari'
}

export type Tax = {
  type: 'VAT' | 'CITY_TAX' | 'LOCAL_TAX' | 'GOV_TAX' | 'OTHER_TAX'
  valueType: '%' | 'fixed'
  /** Percentage, or amount in the hotel's currency; a JSON number or a decimal string, kept exactly */
  value: number | string
  /** `net+vat` is not permitted when type is VAT */
  appliedOn: 'net' | 'net+vat'
  appliedPer: 'per_room_per_night' | 'per_person_per_night' | 'per_room_per_stay' | 'per_person_per_stay'
  /** The pushed price contains this tax; true requires payNow true */
  included: boolean
  /** The platform charges the tax now; otherwise it is due at the property */
  payNow: boolean
  /** First night with this tax; requires endDate */
  startDate?: string
  /** Last night with this tax; requires startDate */
  endDate?: string
}

export type ScopedTaxes = {
  /** Alone: this room with any rate */
  roomId?: string
  /** Alone: this rate with any room */
  rateId?: string
  /** Taxes of this scope; an empty list removes them */
  taxes: Tax[]
}

export type PriceLine = {
  /** How many guests of the category the amount is for, in total */
  guests?: number
  /** Only in the guest model */
  ageCategory?: 'adult' | 'child' | 'infant'
  /** A number or decimal string with at most the currency's minor digits; null clears */
  amount: number | string | null
}

export type RateLine = {
  /** As in products */
  rateId: string
  /** Exactly `unit` (a price for the room) or `guest` (a price by number of guests). Required when a price is sent */
  pricingModel?: 'unit' | 'guest'
  /** Units that can be sold, absolute; null clears (not sellable) */
  inventory?: number | null
  /** true stops the sale; false and null open it */
  closed?: boolean | null
  /** No stay may arrive on the date */
  closedToArrival?: boolean | null
  /** No stay may depart on the date */
  closedToDeparture?: boolean | null
  /** Stay-through: shortest stay that may include the night. 0 and null clear */
  minLengthStay?: number | null
  /** Stay-through: longest stay that may include the night. 0 and null clear */
  maxLengthStay?: number | null
  /** Shortest stay that may arrive on the date. 0 and null clear */
  minStayArrival?: number | null
  /** Longest stay that may arrive on the date. 0 and null clear */
  maxStayArrival?: number | null
  /** Fewest days between booking and arrival on the date. 0 and null clear */
  minAdvanceDays?: number | null
  /** Most days between booking and arrival on the date. 0 and null clear */
  maxAdvanceDays?: number | null
  /** Price lines; each touches only its own (ageCategory, guests). null clears all prices */
  prices?: PriceLine[] | null
  /** A number or decimal string with at most the currency's minor digits; null clears */
  price?: number | string | null
}

export type AriItem = {
  /** As in products */
  roomId: string
  /** One night; or startDate with endDate */
  date?: string
  /** First night */
  startDate?: string
  /** Last night, included */
  endDate?: string
  /** Only these nights of the range */
  daysOfWeek?: ('MON' | 'TUE' | 'WED' | 'THU' | 'FRI' | 'SAT' | 'SUN')[]
  /** Units that can be sold, absolute; null clears (not sellable) */
  inventory?: number | null
  /** true stops the sale; false and null open it */
  closed?: boolean | null
  /** Rate lines of the room; an empty list is as none */
  rates?: RateLine[]
  /** Flat form: the item itself is the rate line */
  rateId?: string
  /** Exactly `unit` (a price for the room) or `guest` (a price by number of guests). Required when a price is sent */
  pricingModel?: 'unit' | 'guest'
  /** No stay may arrive on the date */
  closedToArrival?: boolean | null
  /** No stay may depart on the date */
  closedToDeparture?: boolean | null
  /** Stay-through: shortest stay that may include the night. 0 and null clear */
  minLengthStay?: number | null
  /** Stay-through: longest stay that may include the night. 0 and null clear */
  maxLengthStay?: number | null
  /** Shortest stay that may arrive on the date. 0 and null clear */
  minStayArrival?: number | null
  /** Longest stay that may arrive on the date. 0 and null clear */
  maxStayArrival?: number | null
  /** Fewest days between booking and arrival on the date. 0 and null clear */
  minAdvanceDays?: number | null
  /** Most days between booking and arrival on the date. 0 and null clear */
  maxAdvanceDays?: number | null
  /** Price lines; each touches only its own (ageCategory, guests). null clears all prices */
  prices?: PriceLine[] | null
  /** A number or decimal string with at most the currency's minor digits; null clears */
  price?: number | string | null
  /** A number or decimal string with at most the currency's minor digits; null clears */
  amount?: number | string | null
  /** How many guests of the category the amount is for, in total */
  guests?: number
  /** Only in the guest model */
  ageCategory?: 'adult' | 'child' | 'infant'
}

export type AriItemResult = {
  index: number
  status: 'applied' | 'partial' | 'rejected' | 'superseded' | 'unchanged'
  cellsChanged: number
  /** At most 100 in all results together */
  errors?: Problem[]
  /** How many problems of the item are not listed */
  moreErrors?: number
  warnings?: Problem[]
}

export type Push = {
  /** x-request-id of the push */
  requestId: string
  /** When it was answered (UTC) */
  at: string
  kind: 'hotels' | 'products' | 'taxes' | 'ari' | 'availabilityWebhook' | 'pushbookWebhook' | 'stopSell'
  /** null when the push named none or several */
  hotelId: string | null
  outcome: 'applied' | 'unchanged' | 'partial' | 'rejected' | 'dryRun'
  /** What is wrong, in short; null where nothing is. The answer has it all */
  problems: {
    count: number
    /** Each once, first that of the first problem of the answer */
    types: string[]
    /** Of the first problem */
    message: string
  } | null
  /** What was accepted with a warning, in short, or refused beside members that are not known */
  warnings: {
    count: number
    /** Each once, first that of the first problem of the answer */
    types: string[]
    /** Of the first problem */
    message: string
  } | null
  /** HTTP status of the answer */
  status: number
  /** The hotel's revision after the push; null when nothing was applied to one hotel */
  revision: number | null
  /** Nights of rooms and room-rates that an ARI push changed */
  cellsChanged: number
  durationMs: number
  /** Of the body, decompressed */
  bodyBytes: number
  /** The API key that was used; null for a stopSell of the platform */
  keyId: number | null
}

export type Limits = {
  /** Sustained rate of this key; null: no limit */
  requestsPerMinute: number | null
  /** Requests that may come at once before the rate counts; null: no limit */
  burst: number | null
  /** Bytes of a request body, after decompression too */
  bodyBytesMax: number
  /** Items of one ARI push */
  ariItemsMax: number
  /** Cells that one ARI push may change: nights times rooms or room-rates */
  ariCellsMax: number
  /** Keys of a request body, in all its objects; and commas, in all its lists and objects */
  bodyValuesMax: number
  /** Levels of objects and lists in a request body */
  bodyNestingMax: number
  /** Member names of a request body: each counts once after the same names before it in its object, so that objects with the same members in the same order count once */
  bodyNamesMax: number
  /** Members of one object of a request body, unknown ones included */
  objectMembersMax: number
  /** Hotels in one POST /push/hotels or POST /push/getHotels */
  hotelsPerRequest: number
  /** Products in one POST /push/products */
  productsPerRequest: number
  /** Taxes of the property, of a room, of a rate or of a room-rate */
  taxesPerScope: number
  /** Entries of products in one POST /push/taxes */
  taxScopesPerRequest: number
  /** How many days before the hotel's today a night may lie in an ARI push */
  ariDaysBack: number
  /** How many days after the hotel's today a night may lie in an ARI push */
  ariDaysAhead: number
  /** Largest limit of GET /push/log */
  pushLogEntriesPerPage: number
  /** Characters of a webhook URL */
  webhookUrlLength: number
  /** Characters of an Idempotency-Key */
  idempotencyKeyLength: number
  /** How long an Idempotency-Key gives the stored answer */
  idempotencyHours: number
  /** Problems that one answer lists; the rest are counted in moreErrors */
  errorsListed: number
}

/** Create or update hotels */
export type PushHotelsBody = Hotel[]

/** Of POST /push/hotels */
export type PushHotelsAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  warnings: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  requestId: string
  created: number
  updated: number
  unchanged: number
}

/** Read hotels back */
export type GetHotelsBody =
  | {
      /** Codes of the hotels */
      hotelIds: string[]
    }
  | string[]

/** Of POST /push/getHotels */
export type GetHotelsAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  hotels: StoredHotel[]
  /** Codes asked for that are not hotels of this account */
  notFound: string[]
}

/** Create or update rooms, rates and the room-rates of a hotel */
export type PushProductsBody = {
  /** The supplier's own code of the hotel */
  hotelId: string
  products: Product[]
}

/** Of POST /push/products */
export type PushProductsAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  warnings: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  hotelId: string
  /** The hotel's revision after the push */
  revision: number
  requestId: string
  created: number
  updated: number
  unchanged: number
}

/** Read back the products of a hotel */
export type GetProductsBody = {
  /** The supplier's own code of the hotel */
  hotelId: string
  /** Only these rooms */
  roomIds?: string[]
  /** Only these rates */
  rateIds?: string[]
}

/** Of POST /push/getProducts */
export type GetProductsAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  hotelId: string
  /** The hotel's revision at which the products were so */
  revision: number
  products: Product[]
}

/** Replace the taxes of a property, its rooms, rates and room-rates */
export type PushTaxesBody = {
  /** The supplier's own code of the hotel */
  hotelId: string
  /** Taxes of the property, with any room and rate; an empty list removes them */
  taxes?: Tax[]
  /** Taxes of rooms, rates and room-rates, each scope at most once */
  products?: ScopedTaxes[]
}

/** Of POST /push/taxes */
export type PushTaxesAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  hotelId: string
  /** `unchanged`: the same taxes were held already */
  outcome: 'applied' | 'unchanged'
  /** How many scopes have other taxes than before */
  scopesChanged: number
  /** Of the hotel; rises when something changed */
  revision: number
  requestId: string
}

/** Read the taxes of a hotel back */
export type GetTaxesBody = {
  /** The supplier's own code of the hotel */
  hotelId: string
}

/** Of POST /push/getTaxes */
export type GetTaxesAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  hotelId: string
  /** Taxes of the property, with any room and rate; an empty list removes them */
  taxes: Tax[]
  /** Taxes of rooms, rates and room-rates, each scope at most once */
  products: ScopedTaxes[]
}

/** Push availability, rates, inventory and restrictions */
export type PushAriBody = {
  /** The supplier's own code of the hotel */
  hotelId: string
  /** Exactly `unit` (a price for the room) or `guest` (a price by number of guests). Required when a price is sent */
  pricingModel?: 'unit' | 'guest'
  /** Asserts the hotel's currency */
  currency?: string
  /** `delta` (default): what is absent stays. `overlay`: on the named room-rates and dates, what is absent is cleared */
  mode?: 'delta' | 'overlay'
  /** true: all items or none */
  atomic?: boolean
  /** true: the same answer, nothing applied */
  dryRun?: boolean
  /** Per key and hotel: each cell field keeps the value of the highest sequence, whatever the order of arrival */
  sequence?: number
  /** Applied in this order; an empty list changes nothing. A key may send 1,000 items in one push, unless it was given another limit (GET /v1/push/limits); maxItems is the most that any key can be given */
  ari: AriItem[]
}

/** Of POST /push/ari */
export type PushAriAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  hotelId: string
  /** The hotel's revision after the push */
  revision: number
  requestId: string
  dryRun?: boolean
  summary: {
    items: number
    applied: number
    partial: number
    rejected: number
    superseded: number
    unchanged: number
    /** Nights of a room or room-rate that changed */
    cellsChanged: number
  }
  results: AriItemResult[]
  /** How many problems the results do not list */
  moreErrors?: number
}

/** Read back what is held */
export type GetAriBody = {
  /** The supplier's own code of the hotel */
  hotelId: string
  /** Only these rooms */
  roomIds?: string[]
  /** Only these rates */
  rateIds?: string[]
  /** First night */
  startDate: string
  /** Last night, included */
  endDate: string
}

/** Of POST /push/getAri */
export type GetAriAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  hotelId: string
  revision: number
  currency: string
  pricingModel?: 'unit' | 'guest'
  ari: AriItem[]
}

/** Read how rooms and rates are mapped */
export type GetRoomRateMappingsBody = {
  /** The supplier's own code of the hotel */
  hotelId: string
}

/** Of POST /push/getRoomRateMappings */
export type GetRoomRateMappingsAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  hotelId: string
  platformHotelId: string
  mappings: Mapping[]
}

/** Register the URL for price checks */
export type RegisterAvailabilityWebhookBody = {
  /** HTTPS URL that the platform will call */
  webhook: string
}

/** Of POST /push/webhook/availability */
export type RegisterAvailabilityWebhookAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  /** Verifies our calls (Standard Webhooks). Sent once, when it was made: at the first registration of either URL on this API key */
  signingSecret?: string
  /** What became of a signed call of the URL with the body {"type":"ping"} */
  ping?: {
    /** answered: whatever the HTTP status; failed: no whole answer within 2 s; skipped: not called, see reason */
    status: 'answered' | 'failed' | 'skipped'
    /** Of the answer */
    httpStatus?: number
    /** Why it was skipped: secret_new (you cannot verify a call before you have the signing secret of this answer), busy (other pings of this key are under way). Why it failed: refused_address (no public address), dns, connect, tls, timeout, reset, too_large, malformed */
    reason?: string
    /** The same for people */
    message?: string
    /** With the connection */
    durationMs?: number
  }
}

/** Register the URL for reservations */
export type RegisterPushbookWebhookBody = {
  /** HTTPS URL that the platform will call */
  webhook: string
}

/** Of POST /push/webhook/pushbook */
export type RegisterPushbookWebhookAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  /** Verifies our calls (Standard Webhooks). Sent once, when it was made: at the first registration of either URL on this API key */
  signingSecret?: string
  /** What became of a signed call of the URL with the body {"type":"ping"} */
  ping?: {
    /** answered: whatever the HTTP status; failed: no whole answer within 2 s; skipped: not called, see reason */
    status: 'answered' | 'failed' | 'skipped'
    /** Of the answer */
    httpStatus?: number
    /** Why it was skipped: secret_new (you cannot verify a call before you have the signing secret of this answer), busy (other pings of this key are under way). Why it failed: refused_address (no public address), dns, connect, tls, timeout, reset, too_large, malformed */
    reason?: string
    /** The same for people */
    message?: string
    /** With the connection */
    durationMs?: number
  }
}

/** Of DELETE /push/webhook/availability */
export type RemoveAvailabilityWebhookAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
}

/** Of DELETE /push/webhook/pushbook */
export type RemovePushbookWebhookAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
}

/** Of GET /push/webhook */
export type GetWebhooksAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  /** URL for price checks; null: none is registered */
  availability: string | null
  /** URL for reservations; null: none is registered */
  pushbook: string | null
  /** true from the first registration of either URL on; removing the URLs keeps the secret */
  hasSigningSecret: boolean
  /** Registered URLs that would be refused today, and so are not called: their host has another address by now, or the rules of this service have changed */
  notCallable: {
    kind: 'availability' | 'pushbook'
    type: string
    message: string
    hint: string
  }[]
}

/** Have a registered URL called */
export type TestWebhookBody = {
  /** Which of the two URLs */
  kind: 'availability' | 'pushbook'
}

/** Of POST /push/webhook/test */
export type TestWebhookAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  kind: 'availability' | 'pushbook'
  /** The URL that was called */
  webhook: string
  /** What became of a signed call of the URL with the body {"type":"ping"} */
  ping: {
    /** answered: whatever the HTTP status; failed: no whole answer within 2 s; skipped: not called, see reason */
    status: 'answered' | 'failed' | 'skipped'
    /** Of the answer */
    httpStatus?: number
    /** Why it was skipped: secret_new (you cannot verify a call before you have the signing secret of this answer), busy (other pings of this key are under way). Why it failed: refused_address (no public address), dns, connect, tls, timeout, reset, too_large, malformed */
    reason?: string
    /** The same for people */
    message?: string
    /** With the connection */
    durationMs?: number
  }
}

/** Your pushes and what became of them */
export type ListPushesQuery = {
  /** Only pushes for this hotel */
  hotelId?: string
  /** At or after this: a date (UTC) or an ISO 8601 instant */
  since?: string
  /** Before this instant, or on this date (UTC) or before */
  until?: string
  kind?: 'hotels' | 'products' | 'taxes' | 'ari' | 'availabilityWebhook' | 'pushbookWebhook' | 'stopSell'
  outcome?: 'applied' | 'unchanged' | 'partial' | 'rejected' | 'dryRun'
  /** Only pushes with a problem or a warning of this type, as `ROOM_NOT_FOUND` or `UNKNOWN_FIELD` */
  problem?: string
  /** nextCursor of the page before */
  cursor?: string
  /** How many pushes at most: 1 to 500, 50 by default */
  limit?: string
}

/** Of GET /push/log */
export type ListPushesAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  pushes: Push[]
  /** null at the end, and only there: a page without a push may have one */
  nextCursor: string | null
}

/** One push with its body and its answer */
export type GetPushParams = {
  /** x-request-id of the push */
  requestId: string
}

/** Of GET /push/log/{requestId} */
export type GetPushAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  push: {
    /** x-request-id of the push */
    requestId: string
    /** When it was answered (UTC) */
    at: string
    kind: 'hotels' | 'products' | 'taxes' | 'ari' | 'availabilityWebhook' | 'pushbookWebhook' | 'stopSell'
    /** null when the push named none or several */
    hotelId: string | null
    outcome: 'applied' | 'unchanged' | 'partial' | 'rejected' | 'dryRun'
    /** What is wrong, in short; null where nothing is. The answer has it all */
    problems: {
      count: number
      /** Each once, first that of the first problem of the answer */
      types: string[]
      /** Of the first problem */
      message: string
    } | null
    /** What was accepted with a warning, in short, or refused beside members that are not known */
    warnings: {
      count: number
      /** Each once, first that of the first problem of the answer */
      types: string[]
      /** Of the first problem */
      message: string
    } | null
    /** HTTP status of the answer */
    status: number
    /** The hotel's revision after the push; null when nothing was applied to one hotel */
    revision: number | null
    /** Nights of rooms and room-rates that an ARI push changed */
    cellsChanged: number
    durationMs: number
    /** Of the body, decompressed */
    bodyBytes: number
    /** The API key that was used; null for a stopSell of the platform */
    keyId: number | null
    bodyEncoding: 'json' | 'text' | 'base64'
    /** The body; what is not JSON stands here as text or base64 */
    body: unknown
    /** The answer */
    answer: unknown
  }
  earlier: Push[]
}

/** Of GET /push/reference */
export type GetReferenceAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  roomTypes: {
    name: string
    description: string
  }[]
  mealPlans: {
    code: string
    name: string
    description: string
  }[]
  currencies: {
    /** ISO 4217 */
    code: string
    /** How many decimals amounts have */
    minorDigits: number
    name: string
  }[]
  cancelCodes: {
    code: string
    description: string
  }[]
}

/** Of GET /push/limits */
export type GetLimitsAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  limits: Limits
}

/** What can be booked, and for how much */
export type FindOffersBody = {
  hotels: {
    /** The platform's own identifier, alone */
    platformHotelId?: string
    /** Name of the supplier account */
    supplier?: string
    /** The supplier's code of the hotel, with `supplier` */
    hotelId?: string
  }[]
  /** First night */
  checkin: string
  /** Day of departure */
  checkout: string
  /** Who stays in each room; all rooms are of one room-rate */
  rooms: {
    adults: number
    /** The age of each child. Below the hotel’s minChildAge an infant, up to maxChildAge a child, above an adult */
    childAges?: number[]
  }[]
  /** Say of all others why they cannot be booked */
  explain?: boolean
  /** Say how each price comes about */
  trace?: boolean
}

/** Of POST /booking/offers */
export type FindOffersAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  hotels: {
    platformHotelId: string
    supplier: string
    hotelId: string
    currency: string
    /** Of the hotel’s data that the offers were made of */
    revision: number
    /** A room-rate for all the rooms asked */
    offers: {
      roomId: string
      platformRoomId: string
      roomName: string
      rateId: string
      platformRateId: string
      rateName: string
      mealPlan: string | null
      /** How often it can be sold on every night */
      unitsLeft: number
      /** As asked, in the same order */
      rooms: {
        nights: {
          date: string
          /** The price as pushed */
          amount: string
        }[]
      }[]
      /** One an entry of the pushed taxes that applies to the stay */
      taxes: {
        type: 'VAT' | 'CITY_TAX' | 'LOCAL_TAX' | 'GOV_TAX' | 'OTHER_TAX'
        /** Part of the nights’ amounts */
        included: boolean
        /** false: due at the property */
        payNow: boolean
        /** Of all rooms and nights */
        amount: string
      }[]
      /** For all rooms and nights */
      total: {
        /** Prices without the taxes that they contain */
        beforeTax: string
        /** All taxes that are charged */
        tax: string
        /** What is charged */
        afterTax: string
        /** Taxes with payNow false: paid at the property, besides */
        dueAtProperty: string
      }
      /** The one that applies to the date of arrival */
      cancelPolicy: {
        code: string | null
        description: string | null
        /** Earliest first, no-show last; none: cancelling is free */
        penalties: {
          /** Instant in the hotel's zone from which on the amount is charged; null: from the booking on */
          from: string | null
          /** What is charged then, of `total.afterTax` */
          amount: string
          /** true: charged when the guests do not come */
          noShow?: boolean
        }[]
      } | null
      /** Those of the cancellation policy */
      fees: {
        name: string
        /** Of all rooms and nights */
        amount: string
        appliedPer:
          | 'per_room_per_night'
          | 'per_person_per_night'
          | 'per_room_per_stay'
          | 'per_person_per_stay'
        /** Paid at the property, in no total */
        payNow: false
      }[]
      /** With `trace`: how the price of each room comes about, step by step */
      trace?: {
        /** Adults and children, who pay taxes per person */
        persons: number
        nights: {
          date: string
          /** As pushed. Exact: a decimal, or a fraction like 1000/11 */
          price: string
          /** Fixed amounts that the price contains. Exact: a decimal, or a fraction like 1000/11 */
          includedAmounts: string
          /** 1 and the included rates. Exact: a decimal, or a fraction like 1000/11 */
          divisor: string
          /** (price − includedAmounts) / divisor. Exact: a decimal, or a fraction like 1000/11 */
          net: string
          taxes: {
            type: 'VAT' | 'CITY_TAX' | 'LOCAL_TAX' | 'GOV_TAX' | 'OTHER_TAX'
            /** Of the net. Exact: a decimal, or a fraction like 1000/11 */
            rate: string
            /** Besides. Exact: a decimal, or a fraction like 1000/11 */
            constant: string
            /** net · rate + constant. Exact: a decimal, or a fraction like 1000/11 */
            amount: string
          }[]
        }[]
        taxes: {
          type: 'VAT' | 'CITY_TAX' | 'LOCAL_TAX' | 'GOV_TAX' | 'OTHER_TAX'
          /** The sum of the nights, before rounding. Exact: a decimal, or a fraction like 1000/11 */
          exact: string
          /** Rounded once, half up */
          amount: string
        }[]
        fees: {
          name: string
          /** Before rounding: a percentage of what is charged for the room, or the flat amounts. Exact: a decimal, or a fraction like 1000/11 */
          exact: string
          /** Rounded half up */
          amount: string
        }[]
      }[]
    }[]
    /** With `explain` */
    unavailable?: {
      roomId: string
      rateId: string
      /** Every rule tested, those that fail first; one line for each value held and push that set it */
      rules: {
        rule:
          | 'hotelAvailable'
          | 'productAvailable'
          | 'arrivalDate'
          | 'occupancy'
          | 'inventory'
          | 'price'
          | 'closed'
          | 'stopSell'
          | 'closedToArrival'
          | 'closedToDeparture'
          | 'minStayArrival'
          | 'maxStayArrival'
          | 'minLengthStay'
          | 'maxLengthStay'
          | 'minAdvanceDays'
          | 'maxAdvanceDays'
          | 'taxes'
        pass: boolean
        /** Whether the value is the room’s or the room-rate’s */
        of?: 'room' | 'rate'
        /** On which the value was held; none: whatever the date */
        dates: string[]
        /** The value; null where there is none */
        held: unknown
        /** What the stay asks for */
        asked: unknown
        /** The price line that the party lacks */
        missing?: {
          ageCategory: string
          guests: number
        }
        /** TAXES_EXCEED_PRICE: included taxes are more than the price */
        reason?: string
        /** What set the value: the push, while the push log keeps it, a reservation, or an operator of the platform */
        setBy?: {
          /** Of the push */
          requestId?: string
          /** Of a reservation that lowered the inventory */
          reservationId?: string
          /** Who stopped the sale, or opened it */
          operator?: string
          at: string
          /** Index in the list of the push */
          item?: number
        }
      }[]
      /** The smallest change that makes it bookable, within 14 days */
      nearest?: {
        checkin: string
        checkout: string
        rooms: {
          adults: number
          /** The age of each child. Below the hotel’s minChildAge an infant, up to maxChildAge a child, above an adult */
          childAges?: number[]
        }[]
        /** In words */
        change: string
      }
    }[]
  }[]
  /** Hotels that there are not, as asked */
  notFound: {
    /** The platform's own identifier, alone */
    platformHotelId?: string
    /** Name of the supplier account */
    supplier?: string
    /** The supplier's code of the hotel, with `supplier` */
    hotelId?: string
  }[]
}

/** Ask the supplier for the live price */
export type CheckPriceBody = {
  /** `platformHotelId`, or `supplier` with `hotelId` */
  hotel: {
    /** The platform's own identifier, alone */
    platformHotelId?: string
    /** Name of the supplier account */
    supplier?: string
    /** The supplier's code of the hotel, with `supplier` */
    hotelId?: string
  }
  /** Your room code, as in products and ARI */
  roomId: string
  /** Your rate code, as in products and ARI */
  rateId: string
  /** Arrival */
  checkin: string
  /** Departure */
  checkout: string
  /** Rooms of this kind; 1 unless told */
  roomCount?: number
  /** Adults in one room */
  adultCount: number
  /** Age of each child in one room; none unless told */
  childAges?: number[]
}

/** Of POST /booking/priceCheck */
export type CheckPriceAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  priceCheckId: string
  /** available: at the stored price, or within the tolerance of it; price_changed: at another price, or nothing is stored to compare it with; sold_out: fewer units than rooms asked; invalid_response: an answer that is not what was asked for; timeout: none in time; supplier_error: no connection, a broken one, or a status other than 2xx; circuit_open: not asked, because the URL failed several times in a row; not_registered: no URL to ask */
  outcome:
    | 'available'
    | 'price_changed'
    | 'sold_out'
    | 'invalid_response'
    | 'timeout'
    | 'supplier_error'
    | 'circuit_open'
    | 'not_registered'
  /** Whether a booking would be made now, at the stored price. With price_changed it takes expectedTotal; after a failed check the account’s onFailure decides */
  bookable: boolean
  /** null: there was no valid answer */
  live: {
    currency: string
    /** Units available */
    inventory: number
    /** For one room, without taxes; one element a night */
    amountBeforeTax: string[]
    /** For one room, with the taxes that are charged; one element a night */
    amountAfterTax: string[]
  } | null
  stored: {
    currency: string
    /** How often it can be sold on every night */
    inventory: number
    /** null: no price is held for the party */
    amountBeforeTax: string[] | null
    /** null likewise */
    amountAfterTax: string[] | null
    /** Whether all that is held lets the stay be booked */
    bookable: boolean
    /** Of the hotel’s data that it was made of */
    revision: number
  }
  /** Live minus stored amountAfterTax over all nights and rooms; null where one of them is missing */
  difference: string | null
  /** From the question to the outcome */
  durationMs: number
  /** Why there is no live answer */
  failure?: {
    /** Stable code */
    reason: string
    /** For people */
    message: string
    /** Of the answer, where there was one */
    httpStatus?: number
  }
}

/** Price checks of your hotels, and how far your answers are from your pushes */
export type ListPriceChecksQuery = {
  /** Only checks of this hotel */
  hotelId?: string
  /** Only checks of this room */
  roomId?: string
  /** Only checks of this rate */
  rateId?: string
  outcome?:
    | 'available'
    | 'price_changed'
    | 'sold_out'
    | 'invalid_response'
    | 'timeout'
    | 'supplier_error'
    | 'circuit_open'
    | 'not_registered'
  /** At or after this: a date (UTC) or an ISO 8601 instant */
  since?: string
  /** Before this instant, or on this date (UTC) or before */
  until?: string
  /** nextCursor of the page before */
  cursor?: string
  /** How many checks at most: 1 to 500, 100 by default */
  limit?: string
}

/** Of GET /push/priceChecks */
export type ListPriceChecksAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  priceChecks: {
    priceCheckId: string
    /** webhook-id of the call; the same for identical checks at the same time; null: no call was made */
    webhookId: string | null
    at: string
    /** Your hotel code */
    hotelId: string
    /** Your room code, as in products and ARI */
    roomId: string
    /** Your rate code, as in products and ARI */
    rateId: string
    /** Arrival */
    checkin: string
    /** Departure */
    checkout: string
    /** Rooms of this kind */
    roomCount: number
    /** Adults in one room */
    adultCount: number
    /** Age of each child in one room */
    childAges: number[]
    /** available: at the stored price, or within the tolerance of it; price_changed: at another price, or nothing is stored to compare it with; sold_out: fewer units than rooms asked; invalid_response: an answer that is not what was asked for; timeout: none in time; supplier_error: no connection, a broken one, or a status other than 2xx; circuit_open: not asked, because the URL failed several times in a row; not_registered: no URL to ask */
    outcome:
      | 'available'
      | 'price_changed'
      | 'sold_out'
      | 'invalid_response'
      | 'timeout'
      | 'supplier_error'
      | 'circuit_open'
      | 'not_registered'
    /** Whether a booking would be made now, at the stored price. With price_changed it takes expectedTotal; after a failed check the account’s onFailure decides */
    bookable: boolean
    /** null: there was no valid answer */
    live: {
      currency: string
      /** Units available */
      inventory: number
      /** For one room, without taxes; one element a night */
      amountBeforeTax: string[]
      /** For one room, with the taxes that are charged; one element a night */
      amountAfterTax: string[]
    } | null
    stored: {
      currency: string
      /** How often it can be sold on every night */
      inventory: number
      /** null: no price is held for the party */
      amountBeforeTax: string[] | null
      /** null likewise */
      amountAfterTax: string[] | null
      /** Whether all that is held lets the stay be booked */
      bookable: boolean
      /** Of the hotel’s data that it was made of */
      revision: number
    }
    /** Live minus stored amountAfterTax over all nights and rooms; null where one of them is missing */
    difference: string | null
    /** From the question to the outcome */
    durationMs: number
    /** Why there is no live answer */
    failure?: {
      /** Stable code */
      reason: string
      /** For people */
      message: string
      /** Of the answer, where there was one */
      httpStatus?: number
    }
  }[]
  /** null at the end */
  nextCursor: string | null
  /** How the live answers differ from what is stored, night by night from yesterday on; with `hotelId`, on the first page. `roomId` and `rateId` narrow it, the other parameters do not */
  drift?: {
    currency: string
    /** Nights of room-rates with at least one live answer */
    nights: number
    /** Those whose last comparison differed */
    differingNights: number
    /** Live answers, counted for each night */
    checks: number
    differing: number
    soldOut: number
    /** Nights that ever differed or were sold out: those that differ still come first, the largest difference first */
    worst: {
      roomId: string
      rateId: string
      date: string
      /** Live answers */
      checks: number
      /** Those with another amountAfterTax than the stored one */
      differing: number
      /** Those that said sold out where enough units were stored; their prices are not compared */
      soldOut: number
      /** Largest difference, live minus stored, of one room */
      largest: string
      /** amountAfterTax at the last comparison; null: none was made */
      stored: string | null
      /** amountAfterTax at the last comparison */
      live: string | null
      /** The push of the stored price */
      setBy: {
        /** The hotel’s revision that the push made */
        revision: number
        /** While the push log keeps it */
        requestId?: string
        at?: string
      } | null
      /** Of the last live answer */
      lastAt: string
      /** Since when every comparison differed, and the push whose price was stored then; null: the last one did not differ */
      differsSince: {
        /** First check of the run */
        at: string
        /** A push of the price */
        setBy: {
          /** The hotel’s revision that the push made */
          revision: number
          /** While the push log keeps it */
          requestId?: string
          at?: string
        }
      } | null
    }[]
  }
}

/** Follow what changes, hotel by hotel */
export type ListChangesQuery = {
  /** `cursor` of the answer before; absent: from now on */
  after?: string
  /** Seconds to wait for a change when there is none: 0 to 30, 0 by default; means nothing to events */
  wait?: string
  /** How many changes at most: 1 to 1000, 200 by default */
  limit?: string
}

/** Of GET /booking/changes */
export type ListChangesAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  changes: {
    /** Send it as `after`; opaque */
    cursor: string
    /** `hotel`, `products`, `taxes`: of the whole hotel. `ari`, `reservation` where a reservation lowered inventory, `stopSell` where an operator closed or opened: the `nights` listed. `removed`, in the sandbox alone: the hotel is not there any more */
    kind: 'hotel' | 'products' | 'taxes' | 'ari' | 'reservation' | 'stopSell' | 'removed'
    /** When its transaction began (UTC) */
    at: string
    platformHotelId: string
    supplier: string
    /** The supplier's own code */
    hotelId: string
    /** The hotel's revision after the change; rises from change to change */
    revision: number
    nights?: {
      roomId: string
      platformRoomId: string
      /** Absent: the room's own inventory and closure, which its rates share */
      rateId?: string
      platformRateId?: string
      /** First night */
      startDate: string
      /** Last night, included */
      endDate: string
    }[]
  }[]
  /** Send it as `after`; opaque */
  cursor: string
  /** true: there are more already; ask again at once */
  hasMore: boolean
}

/** Book */
export type CreateReservationBody = {
  /** `platformHotelId`, or `supplier` with `hotelId` */
  hotel: {
    /** The platform's own identifier, alone */
    platformHotelId?: string
    /** Name of the supplier account */
    supplier?: string
    /** The supplier's code of the hotel, with `supplier` */
    hotelId?: string
  }
  /** First night */
  checkin: string
  /** Day of departure */
  checkout: string
  /** Each may be of another room-rate */
  rooms: {
    /** The supplier's code of the room */
    roomId: string
    /** The supplier's code of the rate */
    rateId: string
    adults: number
    /** The age of each child. Below the hotel’s minChildAge an infant, up to maxChildAge a child, above an adult */
    childAges?: number[]
    /** Who stays there */
    guest: {
      /** Given name */
      firstName: string
      /** Family name */
      lastName: string
    }
  }[]
  /** Who books */
  customer: {
    /** Given name */
    firstName: string
    /** Family name */
    lastName: string
    /** One address */
    email?: string
    phone?: string
    /** ISO 3166-1, two capitals */
    countryCode?: string
    /** For the hotel; line breaks and tabs are kept */
    remarks?: string
  }
  payment: {
    /** Who charges the guest: the channel (the platform), or the hotel */
    type: 'Channel Collect' | 'Hotel Collect'
    /** Kept encrypted until 7 days after departure, for the supplier alone; not kept where its account gets no cards */
    card?: {
      holderName: string
      /** As the supplier knows it, for example VI, MC or AX */
      type: string
      /** Digits only */
      number: string
      /** MM/YYYY */
      expiry: string
      /** Forgotten after the first delivery that was accepted */
      cvv?: string
    }
  }
  /** Absent: any stored price is taken */
  expectedTotal?: {
    /** What the guest has agreed to */
    afterTax: number | string
  }
}

/** Of POST /booking/reservations */
export type CreateReservationAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  warnings: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  /** The supplier's `reservation_id` */
  reservationId: string
  /** Rises with every change */
  version: number
  status: 'Confirm' | 'Cancel'
  currency: string
  /** For all rooms and nights */
  total: {
    /** Prices without the taxes that they contain */
    beforeTax: string
    /** All taxes that are charged */
    tax: string
    /** What is charged */
    afterTax: string
    /** Taxes with payNow false: paid at the property, besides */
    dueAtProperty: string
  }
  priceChecks: {
    priceCheckId: string
    roomId: string
    rateId: string
    outcome:
      | 'available'
      | 'price_changed'
      | 'sold_out'
      | 'invalid_response'
      | 'timeout'
      | 'supplier_error'
      | 'circuit_open'
      | 'not_registered'
  }[]
  /** Of this version to the supplier */
  delivery: {
    /** `queued`, `sending`, `delivered`, `superseded` or `dead` */
    status: string
  }
}

/** Modify a reservation */
export type ModifyReservationBody = {
  /** `platformHotelId`, or `supplier` with `hotelId` */
  hotel: {
    /** The platform's own identifier, alone */
    platformHotelId?: string
    /** Name of the supplier account */
    supplier?: string
    /** The supplier's code of the hotel, with `supplier` */
    hotelId?: string
  }
  /** First night */
  checkin: string
  /** Day of departure */
  checkout: string
  /** Each may be of another room-rate */
  rooms: {
    /** The supplier's code of the room */
    roomId: string
    /** The supplier's code of the rate */
    rateId: string
    adults: number
    /** The age of each child. Below the hotel’s minChildAge an infant, up to maxChildAge a child, above an adult */
    childAges?: number[]
    /** Who stays there */
    guest: {
      /** Given name */
      firstName: string
      /** Family name */
      lastName: string
    }
  }[]
  /** Who books */
  customer: {
    /** Given name */
    firstName: string
    /** Family name */
    lastName: string
    /** One address */
    email?: string
    phone?: string
    /** ISO 3166-1, two capitals */
    countryCode?: string
    /** For the hotel; line breaks and tabs are kept */
    remarks?: string
  }
  payment: {
    /** Who charges the guest: the channel (the platform), or the hotel */
    type: 'Channel Collect' | 'Hotel Collect'
    /** Kept encrypted until 7 days after departure, for the supplier alone; not kept where its account gets no cards */
    card?: {
      holderName: string
      /** As the supplier knows it, for example VI, MC or AX */
      type: string
      /** Digits only */
      number: string
      /** MM/YYYY */
      expiry: string
      /** Forgotten after the first delivery that was accepted */
      cvv?: string
    }
  }
  /** Absent: any stored price is taken */
  expectedTotal?: {
    /** What the guest has agreed to */
    afterTax: number | string
  }
}

/** Modify a reservation */
export type ModifyReservationParams = {
  /** reservationId */
  id: string
}

/** Of PUT /booking/reservations/{id} */
export type ModifyReservationAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  warnings: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  /** The supplier's `reservation_id` */
  reservationId: string
  /** Rises with every change */
  version: number
  status: 'Confirm' | 'Cancel'
  currency: string
  /** For all rooms and nights */
  total: {
    /** Prices without the taxes that they contain */
    beforeTax: string
    /** All taxes that are charged */
    tax: string
    /** What is charged */
    afterTax: string
    /** Taxes with payNow false: paid at the property, besides */
    dueAtProperty: string
  }
  priceChecks: {
    priceCheckId: string
    roomId: string
    rateId: string
    outcome:
      | 'available'
      | 'price_changed'
      | 'sold_out'
      | 'invalid_response'
      | 'timeout'
      | 'supplier_error'
      | 'circuit_open'
      | 'not_registered'
  }[]
  /** Of this version to the supplier */
  delivery: {
    /** `queued`, `sending`, `delivered`, `superseded` or `dead` */
    status: string
  }
}

/** Read a reservation */
export type GetReservationParams = {
  /** reservationId */
  id: string
}

/** Of GET /booking/reservations/{id} */
export type GetReservationAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  reservation: {
    reservationId: string
    version: number
    status: 'Confirm' | 'Cancel'
    platformHotelId: string
    supplier: string
    /** The supplier's code of the hotel */
    hotelId: string
    hotelName: string
    checkin: string
    checkout: string
    currency: string
    rooms: {
      roomId: string
      roomName: string
      rateId: string
      rateName: string
      /** Code */
      mealPlan: string | null
      adults: number
      childAges: number[]
      guest: {
        firstName: string
        lastName: string
      }
      nights: {
        date: string
        /** Without taxes */
        beforeTax: string
        /** What is charged; the nights sum to the room */
        afterTax: string
      }[]
      taxes: {
        type: 'VAT' | 'CITY_TAX' | 'LOCAL_TAX' | 'GOV_TAX' | 'OTHER_TAX'
        included: boolean
        /** false: due at the property */
        payNow: boolean
        /** Of the room, for the stay */
        amount: string
      }[]
      /** For all rooms and nights */
      total: {
        /** Prices without the taxes that they contain */
        beforeTax: string
        /** All taxes that are charged */
        tax: string
        /** What is charged */
        afterTax: string
        /** Taxes with payNow false: paid at the property, besides */
        dueAtProperty: string
      }
      /** Of this room, as it was when it was booked */
      cancelPolicy: {
        code: string | null
        description: string | null
        /** Earliest first, no-show last; none: cancelling is free */
        penalties: {
          /** Instant in the hotel's zone from which on the amount is charged; null: from the booking on */
          from: string | null
          /** What is charged then, of `total.afterTax` */
          amount: string
          /** true: charged when the guests do not come */
          noShow?: boolean
        }[]
      } | null
      /** Those of the cancellation policy */
      fees: {
        name: string
        /** Of the room, for the stay */
        amount: string
        appliedPer:
          | 'per_room_per_night'
          | 'per_person_per_night'
          | 'per_room_per_stay'
          | 'per_person_per_stay'
        /** Paid at the property, in no total */
        payNow: false
      }[]
    }[]
    customer: {
      firstName: string
      lastName: string
      email?: string
      phone?: string
      countryCode?: string
      remarks?: string
    }
    payment: {
      type: 'Channel Collect' | 'Hotel Collect'
      card?: {
        type: string
        /** Masked */
        number: string
      }
    }
    /** For all rooms and nights */
    total: {
      /** Prices without the taxes that they contain */
      beforeTax: string
      /** All taxes that are charged */
      tax: string
      /** What is charged */
      afterTax: string
      /** Taxes with payNow false: paid at the property, besides */
      dueAtProperty: string
    }
    /** What the cancellation costs by the policies that were booked, at the instant of the cancellation; null: not cancelled, or booked without any policy */
    penalty: {
      /** Of all rooms; `0.00`: cancelling was free */
      amount: string
      currency: string
      /** Rooms for which something is due, by the policy that each was booked with */
      by: {
        roomId: string
        rateId: string
        /** Of the policy */
        code: string | null
        /** The deadline that was over, as an instant in the hotel's zone; null: from the booking on */
        from: string | null
        /** Of this room */
        amount: string
      }[]
    } | null
    priceChecks: {
      priceCheckId: string
      roomId: string
      rateId: string
      outcome:
        | 'available'
        | 'price_changed'
        | 'sold_out'
        | 'invalid_response'
        | 'timeout'
        | 'supplier_error'
        | 'circuit_open'
        | 'not_registered'
    }[]
    createdAt: string
    modifiedAt: string
    /** Of this version to the supplier */
    delivery: {
      /** `queued`, `sending`, `delivered`, `superseded` or `dead` */
      status: string
    }
  }
  /** Oldest first */
  versions: {
    version: number
    status: 'Confirm' | 'Cancel'
    at: string
    /** For all rooms and nights */
    total: {
      /** Prices without the taxes that they contain */
      beforeTax: string
      /** All taxes that are charged */
      tax: string
      /** What is charged */
      afterTax: string
      /** Taxes with payNow false: paid at the property, besides */
      dueAtProperty: string
    }
  }[]
}

/** Search reservations */
export type ListReservationsQuery = {
  /** platformHotelId, alone; or `supplier` with `hotelId` */
  hotel?: string
  /** Name of the supplier account; without `hotelId`, all of its hotels */
  supplier?: string
  /** The supplier's code of the hotel, with `supplier` */
  hotelId?: string
  status?: 'Confirm' | 'Cancel'
  /** First date of arrival */
  arrivalFrom?: string
  /** Last date of arrival, included */
  arrivalTo?: string
  /** nextCursor of the answer before */
  cursor?: string
  /** How many reservations at most: 1 to 500, 100 by default */
  limit?: string
}

/** Of GET /booking/reservations */
export type ListReservationsAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  reservations: {
    reservationId: string
    version: number
    status: 'Confirm' | 'Cancel'
    platformHotelId: string
    supplier: string
    /** The supplier's code of the hotel */
    hotelId: string
    hotelName: string
    checkin: string
    checkout: string
    currency: string
    rooms: {
      roomId: string
      roomName: string
      rateId: string
      rateName: string
      /** Code */
      mealPlan: string | null
      adults: number
      childAges: number[]
      guest: {
        firstName: string
        lastName: string
      }
      nights: {
        date: string
        /** Without taxes */
        beforeTax: string
        /** What is charged; the nights sum to the room */
        afterTax: string
      }[]
      taxes: {
        type: 'VAT' | 'CITY_TAX' | 'LOCAL_TAX' | 'GOV_TAX' | 'OTHER_TAX'
        included: boolean
        /** false: due at the property */
        payNow: boolean
        /** Of the room, for the stay */
        amount: string
      }[]
      /** For all rooms and nights */
      total: {
        /** Prices without the taxes that they contain */
        beforeTax: string
        /** All taxes that are charged */
        tax: string
        /** What is charged */
        afterTax: string
        /** Taxes with payNow false: paid at the property, besides */
        dueAtProperty: string
      }
      /** Of this room, as it was when it was booked */
      cancelPolicy: {
        code: string | null
        description: string | null
        /** Earliest first, no-show last; none: cancelling is free */
        penalties: {
          /** Instant in the hotel's zone from which on the amount is charged; null: from the booking on */
          from: string | null
          /** What is charged then, of `total.afterTax` */
          amount: string
          /** true: charged when the guests do not come */
          noShow?: boolean
        }[]
      } | null
      /** Those of the cancellation policy */
      fees: {
        name: string
        /** Of the room, for the stay */
        amount: string
        appliedPer:
          | 'per_room_per_night'
          | 'per_person_per_night'
          | 'per_room_per_stay'
          | 'per_person_per_stay'
        /** Paid at the property, in no total */
        payNow: false
      }[]
    }[]
    customer: {
      firstName: string
      lastName: string
      email?: string
      phone?: string
      countryCode?: string
      remarks?: string
    }
    payment: {
      type: 'Channel Collect' | 'Hotel Collect'
      card?: {
        type: string
        /** Masked */
        number: string
      }
    }
    /** For all rooms and nights */
    total: {
      /** Prices without the taxes that they contain */
      beforeTax: string
      /** All taxes that are charged */
      tax: string
      /** What is charged */
      afterTax: string
      /** Taxes with payNow false: paid at the property, besides */
      dueAtProperty: string
    }
    /** What the cancellation costs by the policies that were booked, at the instant of the cancellation; null: not cancelled, or booked without any policy */
    penalty: {
      /** Of all rooms; `0.00`: cancelling was free */
      amount: string
      currency: string
      /** Rooms for which something is due, by the policy that each was booked with */
      by: {
        roomId: string
        rateId: string
        /** Of the policy */
        code: string | null
        /** The deadline that was over, as an instant in the hotel's zone; null: from the booking on */
        from: string | null
        /** Of this room */
        amount: string
      }[]
    } | null
    priceChecks: {
      priceCheckId: string
      roomId: string
      rateId: string
      outcome:
        | 'available'
        | 'price_changed'
        | 'sold_out'
        | 'invalid_response'
        | 'timeout'
        | 'supplier_error'
        | 'circuit_open'
        | 'not_registered'
    }[]
    createdAt: string
    modifiedAt: string
    /** Of this version to the supplier */
    delivery: {
      /** `queued`, `sending`, `delivered`, `superseded` or `dead` */
      status: string
    }
  }[]
  /** null at the end */
  nextCursor: string | null
}

/** Cancel a reservation */
export type CancelReservationParams = {
  /** reservationId */
  id: string
}

/** Of POST /booking/reservations/{id}/cancel */
export type CancelReservationAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  /** The supplier's `reservation_id` */
  reservationId: string
  /** Rises with every change */
  version: number
  status: 'Confirm' | 'Cancel'
  /** What the cancellation costs by the policies that were booked, at the instant of the cancellation; null: not cancelled, or booked without any policy */
  penalty: {
    /** Of all rooms; `0.00`: cancelling was free */
    amount: string
    currency: string
    /** Rooms for which something is due, by the policy that each was booked with */
    by: {
      roomId: string
      rateId: string
      /** Of the policy */
      code: string | null
      /** The deadline that was over, as an instant in the hotel's zone; null: from the booking on */
      from: string | null
      /** Of this room */
      amount: string
    }[]
  } | null
  /** Of this version to the supplier */
  delivery: {
    /** `queued`, `sending`, `delivered`, `superseded` or `dead` */
    status: string
  }
}

/** Order faults for the calls of your own URLs */
export type OrderFaultsBody = {
  /** In the order in which they happen */
  faults: {
    /** Which of your two URLs */
    calls: 'priceCheck' | 'pushBooking'
    /** timeout: your URL is not called, and the platform waits for it in vain; status500: it is not called, and the platform takes it to have answered 500; lostReply: it is called, and its answer gets lost: to the platform the call has failed; garbage: it is not called, and the platform takes the answer to be no HTTP */
    fault: 'timeout' | 'status500' | 'lostReply' | 'garbage'
    /** How many calls; 1 unless told */
    times?: number
    /** Only calls for this hotel */
    hotelId?: string
  }[]
}

/** Of POST /push/sandbox/faults */
export type OrderFaultsAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  /** Those that are still to come, in the order in which they do */
  faults: {
    /** Which of your two URLs */
    calls: 'priceCheck' | 'pushBooking'
    /** timeout: your URL is not called, and the platform waits for it in vain; status500: it is not called, and the platform takes it to have answered 500; lostReply: it is called, and its answer gets lost: to the platform the call has failed; garbage: it is not called, and the platform takes the answer to be no HTTP */
    fault: 'timeout' | 'status500' | 'lostReply' | 'garbage'
    /** null: any of your hotels */
    hotelId: string | null
    timesLeft: number
    expiresAt: string
  }[]
}

/** Of GET /push/sandbox/faults */
export type GetFaultsAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  /** Those that are still to come, in the order in which they do */
  faults: {
    /** Which of your two URLs */
    calls: 'priceCheck' | 'pushBooking'
    /** timeout: your URL is not called, and the platform waits for it in vain; status500: it is not called, and the platform takes it to have answered 500; lostReply: it is called, and its answer gets lost: to the platform the call has failed; garbage: it is not called, and the platform takes the answer to be no HTTP */
    fault: 'timeout' | 'status500' | 'lostReply' | 'garbage'
    /** null: any of your hotels */
    hotelId: string | null
    timesLeft: number
    expiresAt: string
  }[]
}

/** Make a test booking in your own hotel */
export type BookTestBody = {
  /** The supplier's own code of the hotel */
  hotelId: string
  /** Confirm (unless told): book, or with reservation_id modify; Cancel: cancel reservation_id */
  status?: 'Confirm' | 'Cancel'
  /** A reservation of the hotel */
  reservation_id?: string
  /** First night; not needed to cancel */
  checkin?: string
  /** Day of departure; not needed to cancel */
  checkout?: string
  /** Not needed to cancel */
  rooms?: {
    /** Your room code */
    roomId: string
    /** Your rate code */
    rateId: string
    adults: number
    /** The age of each child. Below the hotel’s minChildAge an infant, up to maxChildAge a child, above an adult */
    childAges?: number[]
    /** Who stays there */
    guest?: {
      /** Given name */
      firstName: string
      /** Family name */
      lastName: string
    }
  }[]
  /** Who books */
  customer?: {
    /** Given name */
    firstName: string
    /** Family name */
    lastName: string
    /** One address */
    email?: string
    phone?: string
    /** ISO 3166-1, two capitals */
    countryCode?: string
    /** For the hotel; line breaks and tabs are kept */
    remarks?: string
  }
  payment?: {
    /** Who charges the guest: the channel (the platform), or the hotel */
    type: 'Channel Collect' | 'Hotel Collect'
    /** Kept encrypted until 7 days after departure, for the supplier alone; not kept where its account gets no cards */
    card?: {
      holderName: string
      /** As the supplier knows it, for example VI, MC or AX */
      type: string
      /** Digits only */
      number: string
      /** MM/YYYY */
      expiry: string
      /** Forgotten after the first delivery that was accepted */
      cvv?: string
    }
  }
  /** Absent: any stored price is taken */
  expectedTotal?: {
    /** What the guest has agreed to */
    afterTax: number | string
  }
  /** Of the customer, where no customer is sent */
  remarks?: string
}

/** Of POST /push/sandbox/booking */
export type BookTestAnswer =
  | {
      /** The HTTP status as a string */
      code: string
      /** What happened */
      message: string
      warnings: Problem[]
      /** How many warnings beyond the 100 listed */
      moreWarnings?: number
      /** The supplier's `reservation_id` */
      reservationId: string
      /** Rises with every change */
      version: number
      status: 'Confirm' | 'Cancel'
      currency: string
      /** For all rooms and nights */
      total: {
        /** Prices without the taxes that they contain */
        beforeTax: string
        /** All taxes that are charged */
        tax: string
        /** What is charged */
        afterTax: string
        /** Taxes with payNow false: paid at the property, besides */
        dueAtProperty: string
      }
      priceChecks: {
        priceCheckId: string
        roomId: string
        rateId: string
        outcome:
          | 'available'
          | 'price_changed'
          | 'sold_out'
          | 'invalid_response'
          | 'timeout'
          | 'supplier_error'
          | 'circuit_open'
          | 'not_registered'
      }[]
      /** Of this version to the supplier */
      delivery: {
        /** `queued`, `sending`, `delivered`, `superseded` or `dead` */
        status: string
      }
    }
  | {
      /** The HTTP status as a string */
      code: string
      /** What happened */
      message: string
      /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
      warnings?: Problem[]
      /** How many warnings beyond the 100 listed */
      moreWarnings?: number
      /** The supplier's `reservation_id` */
      reservationId: string
      /** Rises with every change */
      version: number
      status: 'Confirm' | 'Cancel'
      /** Of this version to the supplier */
      delivery: {
        /** `queued`, `sending`, `delivered`, `superseded` or `dead` */
        status: string
      }
    }

/** Advance the clock of your hotels */
export type AdvanceClockBody = {
  /** A duration of ISO 8601 in weeks, days of 24 hours, hours, minutes and seconds: PT10S, PT72H, P30D */
  advanceBy: string
}

/** Of POST /push/sandbox/clock */
export type AdvanceClockAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  /** The test clock of your account */
  clock: {
    /** The time of your hotels */
    now: string
    /** A duration of ISO 8601; PT0S: not at all */
    aheadBy: string
  }
  /** How many of your deliveries are due now */
  deliveriesDue: number
}

/** Of GET /push/sandbox/clock */
export type GetClockAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  /** The test clock of your account */
  clock: {
    /** The time of your hotels */
    now: string
    /** A duration of ISO 8601; PT0S: not at all */
    aheadBy: string
  }
}

/** Of POST /push/sandbox/reset */
export type ResetSandboxAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  removed: {
    hotels: number
    roomRates: number
    reservations: number
    deliveries: number
  }
  /** The test clock of your account */
  clock: {
    /** The time of your hotels */
    now: string
    /** A duration of ISO 8601; PT0S: not at all */
    aheadBy: string
  }
}

/** Deliver one reservation now */
export type PushBookingBody = {
  /** The supplier's own code of the hotel */
  hotelId: string
  /** reservation_id of the reservation */
  reservation_id: string
}

/** Of POST /push/webhook/booking */
export type PushBookingAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  delivery: {
    /** The `webhook-id` of the call */
    deliveryId: string
    status: 'delivered' | 'failed'
    /** What your endpoint answered; null: nothing */
    httpStatus: number | null
    durationMs: number
    /** Counted over all attempts of this delivery, from 1 */
    attempt: number
  }
}

/** Fetch reservations instead of having them delivered */
export type RetrieveReservationsQuery = {
  /** Only of this hotel */
  hotelId?: string
  /** reservation_id of the reservation */
  reservation_id?: string
  /** Modified at or after this: a date (UTC) or an ISO 8601 instant */
  since?: string
  /** Modified before this instant, or on this date (UTC) or before */
  until?: string
  status?: 'Confirm' | 'Cancel'
  /** Whether the present version is delivered or acknowledged */
  delivered?: 'true' | 'false'
  /** nextCursor of the answer before */
  cursor?: string
  /** How many reservations at most: 1 to 500, 100 by default */
  limit?: string
}

/** Of GET /push/webhook/pushbook/retrieve */
export type RetrieveReservationsAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  data: {
    /** Your hotel code */
    hotelId: string
    status: 'Confirm' | 'Cancel'
    reservations: {
      reservation: {
        /** The same over all versions: handle repeats by it */
        reservation_id: string
        /** Rises with every change */
        reservation_version: string
        /** When it was made, UTC, without a zone */
        reservation_datetime: string
        /** When this version was made, UTC */
        modified_datetime: string
        /** Confirm: create or update it; Cancel: mark it cancelled */
        status: 'Confirm' | 'Cancel'
        /** Name of the hotel */
        propertyname: string
        /** 1: the guest pays at the hotel */
        payment_required: '0' | '1'
        payment_type: 'Channel Collect' | 'Hotel Collect'
        /** ISO currency code of all amounts */
        currencycode: string
        /** Of the stay, without taxes */
        totalamountbeforetax: string
        /** The taxes that are charged now */
        totaltax: string
        /** What is charged */
        totalamountaftertax: string
        /** Of a Cancel: what is due by the policies that were booked, when it was cancelled; absent: booked without any policy */
        penalty?: {
          /** Of all rooms; 0.00: cancelling was free */
          amount: string
          /** ISO currency code */
          currency: string
          /** Rooms for which something is due */
          by: {
            /** Your room code */
            room_id: string
            /** Your rate code */
            rate_id: string
            /** Of the cancellation policy, as you pushed it */
            code?: string
            /** The deadline that was over, in the hotel's zone; absent: from the booking on */
            from?: string
            /** Of this room */
            amount: string
          }[]
        }
        customer: {
          /** Given name */
          first_name: string
          /** Family name */
          last_name: string
          /** E-mail address */
          email?: string
          /** Telephone number */
          phone?: string
          /** ISO 3166-1, two letters */
          country_code?: string
          /** What the guest asks for */
          remarks?: string
        }
        /** Only when your contract says so */
        paymentcarddetail?: {
          /** Name on the card */
          CardHolderName: string
          /** Two letters, as VI, MC or AX */
          CardType: string
          /** Digits only */
          CardNumber: string
          /** MM/YYYY */
          ExpireDate: string
          /** Sent until the first delivery that was accepted */
          cvv?: string
        }
        room: {
          /** First night */
          arrival_date: string
          /** Day of departure */
          departure_date: string
          /** Your room code */
          room_id: string
          /** Name of the room */
          room_name: string
          /** Meal plan code */
          meal_plan?: string
          /** Given name of the guest of this room */
          first_name: string
          /** Family name of the guest of this room */
          last_name: string
          /** One element a night; they sum to the room */
          price: {
            /** The night */
            date: string
            /** Your rate code */
            rate_id: string
            /** Name of the rate */
            rate_name: string
            /** Without taxes */
            amountbeforetax: string
            /** With the taxes that are charged now */
            amountaftertax: string
          }[]
          taxes: {
            /** Type of the tax */
            name: string
            /** Of the room, for the stay */
            value: string
            /** 1: contained in the price that you pushed */
            included: '0' | '1'
            /** 1: charged by the platform; 0: due at the property */
            pay_now: '0' | '1'
          }[]
          /** Fees of your cancellation policy; absent: none */
          fees?: {
            /** As you pushed it */
            name: string
            /** Of the room, for the stay; in none of the amounts above */
            value: string
            applied_per:
              | 'per_room_per_night'
              | 'per_person_per_night'
              | 'per_room_per_stay'
              | 'per_person_per_stay'
            /** Due at the property */
            pay_now: '0'
          }[]
          /** Of the room, for the stay; rooms sum to the total */
          amountaftertax: string
          GuestCount: {
            /** 10 adult, 8 child, 7 infant */
            AgeQualifyingCode: '10' | '8' | '7'
            /** How many */
            Count: string
            /** Of children and infants */
            Age?: string
          }[]
        }[]
      }[]
    }
  }[]
  /** null at the end */
  nextCursor: string | null
}

/** Acknowledge reservations that were fetched */
export type AcknowledgeReservationsBody = {
  reservations: {
    /** reservation_id of the reservation */
    reservation_id: string
    /** reservation_version as it was retrieved */
    reservation_version: string
  }[]
}

/** Of POST /push/webhook/pushbook/ack */
export type AcknowledgeReservationsAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  /** Versions that were undelivered until now */
  acknowledged: number
}

/** See the deliveries to your URL */
export type ListDeliveriesQuery = {
  /** Only of this hotel */
  hotelId?: string
  /** Only of this reservation */
  reservation_id?: string
  status?: 'queued' | 'sending' | 'failing' | 'no_url' | 'dead' | 'delivered' | 'superseded'
  /** Queued at or after this: a date (UTC) or an ISO 8601 instant */
  since?: string
  /** Queued before this instant, or on this date (UTC) or before */
  until?: string
  /** nextCursor of the answer before */
  cursor?: string
  /** How many deliveries at most: 1 to 100, 25 by default */
  limit?: string
}

/** Of GET /push/deliveries */
export type ListDeliveriesAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  deliveries: {
    /** The `webhook-id` of its calls */
    deliveryId: string
    hotelId: string
    reservation_id: string
    reservation_version: string
    reservation_status: 'Confirm' | 'Cancel'
    /** queued: waits for its first attempt; sending: a call is under way; failing: an attempt failed, another one follows; no_url: no URL is registered; dead: given up; superseded: a newer version took its place */
    status: 'queued' | 'sending' | 'failing' | 'no_url' | 'dead' | 'delivered' | 'superseded'
    /** When it was queued */
    createdAt: string
    /** When you answered with 2xx, or acknowledged it */
    deliveredAt: string | null
    /** Not before this; null: none is planned */
    nextAttemptAt: string | null
    /** After this no attempt is made */
    giveUpAt: string
    /** Oldest first; they are kept for 90 days */
    attempts: {
      /** Counted from 1 */
      attempt: number
      /** When it ended */
      at: string
      /** realtime: the reservation was made; retry: by the schedule; hourly: with the hourly run; manual: POST /push/webhook/booking; again: somebody sent it again */
      trigger: 'realtime' | 'retry' | 'hourly' | 'manual' | 'again'
      /** `webhook-id` of the call; null: no call was made, or it is not known */
      webhookId: string | null
      /** accepted: 2xx; unavailable: 408, 425, 429 or 5xx; refused: any other answer; else why there was none, as timeout, connect, tls, dns, reset, refused_address; lost: whether it arrived is not known */
      outcome: string
      /** What your endpoint answered; null: nothing */
      httpStatus: number | null
      durationMs: number
      /** The first 2 KB of what your endpoint answered, or why there was no answer. Numbers that may be a card’s are masked */
      answer: string | null
    }[]
  }[]
  /** null at the end */
  nextCursor: string | null
}

/** Have failed deliveries sent again */
export type SendDeliveriesAgainBody = {
  deliveryIds?: string[]
  /** The supplier's own code of the hotel */
  hotelId?: string
}

/** Of POST /push/deliveries/sendAgain */
export type SendDeliveriesAgainAnswer = {
  /** The HTTP status as a string */
  code: string
  /** What happened */
  message: string
  /** Remarks on what was accepted; UNKNOWN_FIELD for what is not known */
  warnings?: Problem[]
  /** How many warnings beyond the 100 listed */
  moreWarnings?: number
  /** How many */
  sentAgain: number
  /** Which */
  deliveryIds: string[]
  /** Of those in the request */
  left: {
    deliveryId: string
    /** Why: it is delivered, superseded, under way, or waits to be sent already */
    status: 'queued' | 'sending' | 'failing' | 'no_url' | 'dead' | 'delivered' | 'superseded'
  }[]
  /** Whether more than 1000 failed: call once more for the rest */
  isMore: boolean
}

export type PriceCheckRequest = {
  /** Your hotel code */
  hotelId: string
  /** Your room code, as in products and ARI */
  roomId: string
  /** Your rate code, as in products and ARI */
  rateId: string
  /** Arrival */
  checkin: string
  /** Departure */
  checkout: string
  /** Rooms of this kind */
  roomCount: number
  /** Adults in one room */
  adultCount: number
  /** Age of each child in one room */
  childAges: number[]
}

export type PriceCheckAnswer = {
  roomRate: {
    /** As asked */
    roomId: string
    /** As asked */
    rateId: string
    /** ISO currency code */
    currency: string
    /** Units available; less than roomCount is sold out */
    inventory: number
    /** One element a night, for one room, without taxes */
    amountBeforeTax: (number | string)[]
    /** One element a night, for one room, with the taxes that are charged; not less than before tax */
    amountAfterTax: (number | string)[]
    /** Meal plan code */
    mealPlan?: string
    cancelPolicy?: {
      /** Policy code */
      code?: string
      /** For people */
      description?: string
      cancelPenalties?: CancelPenalty[]
    }
  }
}

export type DeliveredReservation = {
  /** The same over all versions: handle repeats by it */
  reservation_id: string
  /** Rises with every change */
  reservation_version: string
  /** When it was made, UTC, without a zone */
  reservation_datetime: string
  /** When this version was made, UTC */
  modified_datetime: string
  /** Confirm: create or update it; Cancel: mark it cancelled */
  status: 'Confirm' | 'Cancel'
  /** Name of the hotel */
  propertyname: string
  /** 1: the guest pays at the hotel */
  payment_required: '0' | '1'
  payment_type: 'Channel Collect' | 'Hotel Collect'
  /** ISO currency code of all amounts */
  currencycode: string
  /** Of the stay, without taxes */
  totalamountbeforetax: string
  /** The taxes that are charged now */
  totaltax: string
  /** What is charged */
  totalamountaftertax: string
  /** Of a Cancel: what is due by the policies that were booked, when it was cancelled; absent: booked without any policy */
  penalty?: {
    /** Of all rooms; 0.00: cancelling was free */
    amount: string
    /** ISO currency code */
    currency: string
    /** Rooms for which something is due */
    by: {
      /** Your room code */
      room_id: string
      /** Your rate code */
      rate_id: string
      /** Of the cancellation policy, as you pushed it */
      code?: string
      /** The deadline that was over, in the hotel's zone; absent: from the booking on */
      from?: string
      /** Of this room */
      amount: string
    }[]
  }
  customer: {
    /** Given name */
    first_name: string
    /** Family name */
    last_name: string
    /** E-mail address */
    email?: string
    /** Telephone number */
    phone?: string
    /** ISO 3166-1, two letters */
    country_code?: string
    /** What the guest asks for */
    remarks?: string
  }
  /** Only when your contract says so */
  paymentcarddetail?: {
    /** Name on the card */
    CardHolderName: string
    /** Two letters, as VI, MC or AX */
    CardType: string
    /** Digits only */
    CardNumber: string
    /** MM/YYYY */
    ExpireDate: string
    /** Sent until the first delivery that was accepted */
    cvv?: string
  }
  room: {
    /** First night */
    arrival_date: string
    /** Day of departure */
    departure_date: string
    /** Your room code */
    room_id: string
    /** Name of the room */
    room_name: string
    /** Meal plan code */
    meal_plan?: string
    /** Given name of the guest of this room */
    first_name: string
    /** Family name of the guest of this room */
    last_name: string
    /** One element a night; they sum to the room */
    price: {
      /** The night */
      date: string
      /** Your rate code */
      rate_id: string
      /** Name of the rate */
      rate_name: string
      /** Without taxes */
      amountbeforetax: string
      /** With the taxes that are charged now */
      amountaftertax: string
    }[]
    taxes: {
      /** Type of the tax */
      name: string
      /** Of the room, for the stay */
      value: string
      /** 1: contained in the price that you pushed */
      included: '0' | '1'
      /** 1: charged by the platform; 0: due at the property */
      pay_now: '0' | '1'
    }[]
    /** Fees of your cancellation policy; absent: none */
    fees?: {
      /** As you pushed it */
      name: string
      /** Of the room, for the stay; in none of the amounts above */
      value: string
      applied_per: 'per_room_per_night' | 'per_person_per_night' | 'per_room_per_stay' | 'per_person_per_stay'
      /** Due at the property */
      pay_now: '0'
    }[]
    /** Of the room, for the stay; rooms sum to the total */
    amountaftertax: string
    GuestCount: {
      /** 10 adult, 8 child, 7 infant */
      AgeQualifyingCode: '10' | '8' | '7'
      /** How many */
      Count: string
      /** Of children and infants */
      Age?: string
    }[]
  }[]
}

export type Delivery = {
  /** Your hotel code */
  hotelId: string
  status: 'Confirm' | 'Cancel'
  reservations: {
    reservation: {
      /** The same over all versions: handle repeats by it */
      reservation_id: string
      /** Rises with every change */
      reservation_version: string
      /** When it was made, UTC, without a zone */
      reservation_datetime: string
      /** When this version was made, UTC */
      modified_datetime: string
      /** Confirm: create or update it; Cancel: mark it cancelled */
      status: 'Confirm' | 'Cancel'
      /** Name of the hotel */
      propertyname: string
      /** 1: the guest pays at the hotel */
      payment_required: '0' | '1'
      payment_type: 'Channel Collect' | 'Hotel Collect'
      /** ISO currency code of all amounts */
      currencycode: string
      /** Of the stay, without taxes */
      totalamountbeforetax: string
      /** The taxes that are charged now */
      totaltax: string
      /** What is charged */
      totalamountaftertax: string
      /** Of a Cancel: what is due by the policies that were booked, when it was cancelled; absent: booked without any policy */
      penalty?: {
        /** Of all rooms; 0.00: cancelling was free */
        amount: string
        /** ISO currency code */
        currency: string
        /** Rooms for which something is due */
        by: {
          /** Your room code */
          room_id: string
          /** Your rate code */
          rate_id: string
          /** Of the cancellation policy, as you pushed it */
          code?: string
          /** The deadline that was over, in the hotel's zone; absent: from the booking on */
          from?: string
          /** Of this room */
          amount: string
        }[]
      }
      customer: {
        /** Given name */
        first_name: string
        /** Family name */
        last_name: string
        /** E-mail address */
        email?: string
        /** Telephone number */
        phone?: string
        /** ISO 3166-1, two letters */
        country_code?: string
        /** What the guest asks for */
        remarks?: string
      }
      /** Only when your contract says so */
      paymentcarddetail?: {
        /** Name on the card */
        CardHolderName: string
        /** Two letters, as VI, MC or AX */
        CardType: string
        /** Digits only */
        CardNumber: string
        /** MM/YYYY */
        ExpireDate: string
        /** Sent until the first delivery that was accepted */
        cvv?: string
      }
      room: {
        /** First night */
        arrival_date: string
        /** Day of departure */
        departure_date: string
        /** Your room code */
        room_id: string
        /** Name of the room */
        room_name: string
        /** Meal plan code */
        meal_plan?: string
        /** Given name of the guest of this room */
        first_name: string
        /** Family name of the guest of this room */
        last_name: string
        /** One element a night; they sum to the room */
        price: {
          /** The night */
          date: string
          /** Your rate code */
          rate_id: string
          /** Name of the rate */
          rate_name: string
          /** Without taxes */
          amountbeforetax: string
          /** With the taxes that are charged now */
          amountaftertax: string
        }[]
        taxes: {
          /** Type of the tax */
          name: string
          /** Of the room, for the stay */
          value: string
          /** 1: contained in the price that you pushed */
          included: '0' | '1'
          /** 1: charged by the platform; 0: due at the property */
          pay_now: '0' | '1'
        }[]
        /** Fees of your cancellation policy; absent: none */
        fees?: {
          /** As you pushed it */
          name: string
          /** Of the room, for the stay; in none of the amounts above */
          value: string
          applied_per:
            | 'per_room_per_night'
            | 'per_person_per_night'
            | 'per_room_per_stay'
            | 'per_person_per_stay'
          /** Due at the property */
          pay_now: '0'
        }[]
        /** Of the room, for the stay; rooms sum to the total */
        amountaftertax: string
        GuestCount: {
          /** 10 adult, 8 child, 7 infant */
          AgeQualifyingCode: '10' | '8' | '7'
          /** How many */
          Count: string
          /** Of children and infants */
          Age?: string
        }[]
      }[]
    }[]
  }
}

export type SupplierCalls = {
  /** Create or update hotels */
  pushHotels: (body: PushHotelsBody, options?: CallOptions) => Promise<PushHotelsAnswer>
  /** Read hotels back */
  getHotels: (body: GetHotelsBody, options?: CallOptions) => Promise<GetHotelsAnswer>
  /** Create or update rooms, rates and the room-rates of a hotel */
  pushProducts: (body: PushProductsBody, options?: CallOptions) => Promise<PushProductsAnswer>
  /** Read back the products of a hotel */
  getProducts: (body: GetProductsBody, options?: CallOptions) => Promise<GetProductsAnswer>
  /** Replace the taxes of a property, its rooms, rates and room-rates */
  pushTaxes: (body: PushTaxesBody, options?: CallOptions) => Promise<PushTaxesAnswer>
  /** Read the taxes of a hotel back */
  getTaxes: (body: GetTaxesBody, options?: CallOptions) => Promise<GetTaxesAnswer>
  /** Push availability, rates, inventory and restrictions */
  pushAri: (body: PushAriBody, options?: CallOptions) => Promise<PushAriAnswer>
  /** Read back what is held */
  getAri: (body: GetAriBody, options?: CallOptions) => Promise<GetAriAnswer>
  /** Read how rooms and rates are mapped */
  getRoomRateMappings: (
    body: GetRoomRateMappingsBody,
    options?: CallOptions,
  ) => Promise<GetRoomRateMappingsAnswer>
  /** Register the URL for price checks */
  registerAvailabilityWebhook: (
    body: RegisterAvailabilityWebhookBody,
    options?: CallOptions,
  ) => Promise<RegisterAvailabilityWebhookAnswer>
  /** Register the URL for reservations */
  registerPushbookWebhook: (
    body: RegisterPushbookWebhookBody,
    options?: CallOptions,
  ) => Promise<RegisterPushbookWebhookAnswer>
  /** Remove the URL for price checks */
  removeAvailabilityWebhook: (options?: CallOptions) => Promise<RemoveAvailabilityWebhookAnswer>
  /** Remove the URL for reservations */
  removePushbookWebhook: (options?: CallOptions) => Promise<RemovePushbookWebhookAnswer>
  /** Read the registered URLs back */
  getWebhooks: (options?: CallOptions) => Promise<GetWebhooksAnswer>
  /** Have a registered URL called */
  testWebhook: (body: TestWebhookBody, options?: CallOptions) => Promise<TestWebhookAnswer>
  /** Your pushes and what became of them */
  listPushes: (query?: ListPushesQuery, options?: CallOptions) => Promise<ListPushesAnswer>
  /** One push with its body and its answer */
  getPush: (params: GetPushParams, options?: CallOptions) => Promise<GetPushAnswer>
  /** Room types, meal plans, currencies and cancellation codes */
  getReference: (options?: CallOptions) => Promise<GetReferenceAnswer>
  /** The limits of this API key */
  getLimits: (options?: CallOptions) => Promise<GetLimitsAnswer>
  /** Price checks of your hotels, and how far your answers are from your pushes */
  listPriceChecks: (query?: ListPriceChecksQuery, options?: CallOptions) => Promise<ListPriceChecksAnswer>
  /** Order faults for the calls of your own URLs */
  orderFaults: (body: OrderFaultsBody, options?: CallOptions) => Promise<OrderFaultsAnswer>
  /** Read the faults that are still to come */
  getFaults: (options?: CallOptions) => Promise<GetFaultsAnswer>
  /** Make a test booking in your own hotel */
  bookTest: (body: BookTestBody, options?: CallOptions) => Promise<BookTestAnswer>
  /** Advance the clock of your hotels */
  advanceClock: (body: AdvanceClockBody, options?: CallOptions) => Promise<AdvanceClockAnswer>
  /** Read the clock of your hotels */
  getClock: (options?: CallOptions) => Promise<GetClockAnswer>
  /** Remove all your hotels, and begin anew */
  resetSandbox: (options?: CallOptions) => Promise<ResetSandboxAnswer>
  /** Deliver one reservation now */
  pushBooking: (body: PushBookingBody, options?: CallOptions) => Promise<PushBookingAnswer>
  /** Fetch reservations instead of having them delivered */
  retrieveReservations: (
    query?: RetrieveReservationsQuery,
    options?: CallOptions,
  ) => Promise<RetrieveReservationsAnswer>
  /** Acknowledge reservations that were fetched */
  acknowledgeReservations: (
    body: AcknowledgeReservationsBody,
    options?: CallOptions,
  ) => Promise<AcknowledgeReservationsAnswer>
  /** See the deliveries to your URL */
  listDeliveries: (query?: ListDeliveriesQuery, options?: CallOptions) => Promise<ListDeliveriesAnswer>
  /** Have failed deliveries sent again */
  sendDeliveriesAgain: (
    body: SendDeliveriesAgainBody,
    options?: CallOptions,
  ) => Promise<SendDeliveriesAgainAnswer>
}

export type PlatformCalls = {
  /** What can be booked, and for how much */
  findOffers: (body: FindOffersBody, options?: CallOptions) => Promise<FindOffersAnswer>
  /** Ask the supplier for the live price */
  checkPrice: (body: CheckPriceBody, options?: CallOptions) => Promise<CheckPriceAnswer>
  /** Follow what changes, hotel by hotel */
  listChanges: (query?: ListChangesQuery, options?: CallOptions) => Promise<ListChangesAnswer>
  /** Book */
  createReservation: (body: CreateReservationBody, options?: CallOptions) => Promise<CreateReservationAnswer>
  /** Modify a reservation */
  modifyReservation: (
    params: ModifyReservationParams,
    body: ModifyReservationBody,
    options?: CallOptions,
  ) => Promise<ModifyReservationAnswer>
  /** Read a reservation */
  getReservation: (params: GetReservationParams, options?: CallOptions) => Promise<GetReservationAnswer>
  /** Search reservations */
  listReservations: (query?: ListReservationsQuery, options?: CallOptions) => Promise<ListReservationsAnswer>
  /** Cancel a reservation */
  cancelReservation: (
    params: CancelReservationParams,
    options?: CallOptions,
  ) => Promise<CancelReservationAnswer>
}

export const supplierOperations: Readonly<Record<string, Operation>> = {
  pushHotels: { name: 'pushHotels', method: 'POST', path: '/push/hotels', takes: ['body'], isKeyed: true },
  getHotels: { name: 'getHotels', method: 'POST', path: '/push/getHotels', takes: ['body'], isKeyed: false },
  pushProducts: {
    name: 'pushProducts',
    method: 'POST',
    path: '/push/products',
    takes: ['body'],
    isKeyed: true,
  },
  getProducts: {
    name: 'getProducts',
    method: 'POST',
    path: '/push/getProducts',
    takes: ['body'],
    isKeyed: false,
  },
  pushTaxes: { name: 'pushTaxes', method: 'POST', path: '/push/taxes', takes: ['body'], isKeyed: true },
  getTaxes: { name: 'getTaxes', method: 'POST', path: '/push/getTaxes', takes: ['body'], isKeyed: false },
  pushAri: { name: 'pushAri', method: 'POST', path: '/push/ari', takes: ['body'], isKeyed: true },
  getAri: { name: 'getAri', method: 'POST', path: '/push/getAri', takes: ['body'], isKeyed: false },
  getRoomRateMappings: {
    name: 'getRoomRateMappings',
    method: 'POST',
    path: '/push/getRoomRateMappings',
    takes: ['body'],
    isKeyed: false,
  },
  registerAvailabilityWebhook: {
    name: 'registerAvailabilityWebhook',
    method: 'POST',
    path: '/push/webhook/availability',
    takes: ['body'],
    isKeyed: true,
  },
  registerPushbookWebhook: {
    name: 'registerPushbookWebhook',
    method: 'POST',
    path: '/push/webhook/pushbook',
    takes: ['body'],
    isKeyed: true,
  },
  removeAvailabilityWebhook: {
    name: 'removeAvailabilityWebhook',
    method: 'DELETE',
    path: '/push/webhook/availability',
    takes: [],
    isKeyed: true,
  },
  removePushbookWebhook: {
    name: 'removePushbookWebhook',
    method: 'DELETE',
    path: '/push/webhook/pushbook',
    takes: [],
    isKeyed: true,
  },
  getWebhooks: { name: 'getWebhooks', method: 'GET', path: '/push/webhook', takes: [], isKeyed: false },
  testWebhook: {
    name: 'testWebhook',
    method: 'POST',
    path: '/push/webhook/test',
    takes: ['body'],
    isKeyed: false,
  },
  listPushes: { name: 'listPushes', method: 'GET', path: '/push/log', takes: ['query'], isKeyed: false },
  getPush: {
    name: 'getPush',
    method: 'GET',
    path: '/push/log/{requestId}',
    takes: ['params'],
    isKeyed: false,
  },
  getReference: { name: 'getReference', method: 'GET', path: '/push/reference', takes: [], isKeyed: false },
  getLimits: { name: 'getLimits', method: 'GET', path: '/push/limits', takes: [], isKeyed: false },
  listPriceChecks: {
    name: 'listPriceChecks',
    method: 'GET',
    path: '/push/priceChecks',
    takes: ['query'],
    isKeyed: false,
  },
  orderFaults: {
    name: 'orderFaults',
    method: 'POST',
    path: '/push/sandbox/faults',
    takes: ['body'],
    isKeyed: false,
  },
  getFaults: { name: 'getFaults', method: 'GET', path: '/push/sandbox/faults', takes: [], isKeyed: false },
  bookTest: {
    name: 'bookTest',
    method: 'POST',
    path: '/push/sandbox/booking',
    takes: ['body'],
    isKeyed: true,
  },
  advanceClock: {
    name: 'advanceClock',
    method: 'POST',
    path: '/push/sandbox/clock',
    takes: ['body'],
    isKeyed: false,
  },
  getClock: { name: 'getClock', method: 'GET', path: '/push/sandbox/clock', takes: [], isKeyed: false },
  resetSandbox: {
    name: 'resetSandbox',
    method: 'POST',
    path: '/push/sandbox/reset',
    takes: [],
    isKeyed: false,
  },
  pushBooking: {
    name: 'pushBooking',
    method: 'POST',
    path: '/push/webhook/booking',
    takes: ['body'],
    isKeyed: false,
  },
  retrieveReservations: {
    name: 'retrieveReservations',
    method: 'GET',
    path: '/push/webhook/pushbook/retrieve',
    takes: ['query'],
    isKeyed: false,
  },
  acknowledgeReservations: {
    name: 'acknowledgeReservations',
    method: 'POST',
    path: '/push/webhook/pushbook/ack',
    takes: ['body'],
    isKeyed: false,
  },
  listDeliveries: {
    name: 'listDeliveries',
    method: 'GET',
    path: '/push/deliveries',
    takes: ['query'],
    isKeyed: false,
  },
  sendDeliveriesAgain: {
    name: 'sendDeliveriesAgain',
    method: 'POST',
    path: '/push/deliveries/sendAgain',
    takes: ['body'],
    isKeyed: false,
  },
}

export const platformOperations: Readonly<Record<string, Operation>> = {
  findOffers: {
    name: 'findOffers',
    method: 'POST',
    path: '/booking/offers',
    takes: ['body'],
    isKeyed: false,
  },
  checkPrice: {
    name: 'checkPrice',
    method: 'POST',
    path: '/booking/priceCheck',
    takes: ['body'],
    isKeyed: false,
  },
  listChanges: {
    name: 'listChanges',
    method: 'GET',
    path: '/booking/changes',
    takes: ['query'],
    isKeyed: false,
  },
  createReservation: {
    name: 'createReservation',
    method: 'POST',
    path: '/booking/reservations',
    takes: ['body'],
    isKeyed: true,
  },
  modifyReservation: {
    name: 'modifyReservation',
    method: 'PUT',
    path: '/booking/reservations/{id}',
    takes: ['params', 'body'],
    isKeyed: true,
  },
  getReservation: {
    name: 'getReservation',
    method: 'GET',
    path: '/booking/reservations/{id}',
    takes: ['params'],
    isKeyed: false,
  },
  listReservations: {
    name: 'listReservations',
    method: 'GET',
    path: '/booking/reservations',
    takes: ['query'],
    isKeyed: false,
  },
  cancelReservation: {
    name: 'cancelReservation',
    method: 'POST',
    path: '/booking/reservations/{id}/cancel',
    takes: ['params'],
    isKeyed: true,
  },
}

/** What the calls to your URLs must hold. */
export const callbackShapes: Readonly<Record<'priceCheck' | 'delivery', CheckedShape>> = {
  priceCheck: {
    type: 'object',
    required: ['hotelId', 'roomId', 'rateId', 'checkin', 'checkout', 'roomCount', 'adultCount', 'childAges'],
    properties: {
      hotelId: { type: 'string' },
      roomId: { type: 'string' },
      rateId: { type: 'string' },
      checkin: { type: 'string' },
      checkout: { type: 'string' },
      roomCount: { type: 'integer' },
      adultCount: { type: 'integer' },
      childAges: { type: 'array', items: { type: 'integer' } },
    },
  },
  delivery: {
    type: 'object',
    required: ['hotelId', 'status', 'reservations'],
    properties: {
      hotelId: { type: 'string' },
      status: { type: 'string', enum: ['Confirm', 'Cancel'] },
      reservations: {
        type: 'object',
        required: ['reservation'],
        properties: {
          reservation: {
            type: 'array',
            items: {
              type: 'object',
              required: [
                'reservation_id',
                'reservation_version',
                'reservation_datetime',
                'modified_datetime',
                'status',
                'propertyname',
                'payment_required',
                'payment_type',
                'currencycode',
                'totalamountbeforetax',
                'totaltax',
                'totalamountaftertax',
                'customer',
                'room',
              ],
              properties: {
                reservation_id: { type: 'string' },
                reservation_version: { type: 'string' },
                reservation_datetime: { type: 'string' },
                modified_datetime: { type: 'string' },
                status: { type: 'string', enum: ['Confirm', 'Cancel'] },
                propertyname: { type: 'string' },
                payment_required: { type: 'string' },
                payment_type: { type: 'string' },
                currencycode: { type: 'string' },
                totalamountbeforetax: { type: 'string' },
                totaltax: { type: 'string' },
                totalamountaftertax: { type: 'string' },
                penalty: {
                  type: 'object',
                  required: ['amount', 'currency', 'by'],
                  properties: {
                    amount: { type: 'string' },
                    currency: { type: 'string' },
                    by: {
                      type: 'array',
                      items: {
                        type: 'object',
                        required: ['room_id', 'rate_id', 'amount'],
                        properties: {
                          room_id: { type: 'string' },
                          rate_id: { type: 'string' },
                          code: { type: 'string' },
                          from: { type: 'string' },
                          amount: { type: 'string' },
                        },
                      },
                    },
                  },
                },
                customer: {
                  type: 'object',
                  required: ['first_name', 'last_name'],
                  properties: {
                    first_name: { type: 'string' },
                    last_name: { type: 'string' },
                    email: { type: 'string' },
                    phone: { type: 'string' },
                    country_code: { type: 'string' },
                    remarks: { type: 'string' },
                  },
                },
                paymentcarddetail: {
                  type: 'object',
                  required: ['CardHolderName', 'CardType', 'CardNumber', 'ExpireDate'],
                  properties: {
                    CardHolderName: { type: 'string' },
                    CardType: { type: 'string' },
                    CardNumber: { type: 'string' },
                    ExpireDate: { type: 'string' },
                    cvv: { type: 'string' },
                  },
                },
                room: {
                  type: 'array',
                  items: {
                    type: 'object',
                    required: [
                      'arrival_date',
                      'departure_date',
                      'room_id',
                      'room_name',
                      'first_name',
                      'last_name',
                      'price',
                      'taxes',
                      'amountaftertax',
                      'GuestCount',
                    ],
                    properties: {
                      arrival_date: { type: 'string' },
                      departure_date: { type: 'string' },
                      room_id: { type: 'string' },
                      room_name: { type: 'string' },
                      meal_plan: { type: 'string' },
                      first_name: { type: 'string' },
                      last_name: { type: 'string' },
                      price: {
                        type: 'array',
                        items: {
                          type: 'object',
                          required: ['date', 'rate_id', 'rate_name', 'amountbeforetax', 'amountaftertax'],
                          properties: {
                            date: { type: 'string' },
                            rate_id: { type: 'string' },
                            rate_name: { type: 'string' },
                            amountbeforetax: { type: 'string' },
                            amountaftertax: { type: 'string' },
                          },
                        },
                      },
                      taxes: {
                        type: 'array',
                        items: {
                          type: 'object',
                          required: ['name', 'value', 'included', 'pay_now'],
                          properties: {
                            name: { type: 'string' },
                            value: { type: 'string' },
                            included: { type: 'string' },
                            pay_now: { type: 'string' },
                          },
                        },
                      },
                      fees: {
                        type: 'array',
                        items: {
                          type: 'object',
                          required: ['name', 'value', 'applied_per', 'pay_now'],
                          properties: {
                            name: { type: 'string' },
                            value: { type: 'string' },
                            applied_per: { type: 'string' },
                            pay_now: { type: 'string' },
                          },
                        },
                      },
                      amountaftertax: { type: 'string' },
                      GuestCount: {
                        type: 'array',
                        items: {
                          type: 'object',
                          required: ['AgeQualifyingCode', 'Count'],
                          properties: {
                            AgeQualifyingCode: { type: 'string' },
                            Count: { type: 'string' },
                            Age: { type: 'string' },
                          },
                        },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
}

export type CheckedShape = {
  type: string
  enum?: readonly string[]
  required?: readonly string[]
  properties?: Readonly<Record<string, CheckedShape>>
  items?: CheckedShape
}
