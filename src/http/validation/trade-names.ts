/**
 * Names that are common elsewhere in the trade, by the part of a path that they stand for: a caller that uses one is told
 * which endpoint was meant.
 */
const tradeNames: Readonly<Record<string, string>> = {
  ari: 'avail availability availabilities inventory inventories allotment calendar rate rates price prices pricing restrictions',
  getAri: 'getAvail getAvailability getInventory getCalendar getRates getPrices getRestrictions',
  hotels: 'property properties accommodation accommodations',
  getHotels: 'getProperty getProperties getAccommodations',
  products: 'rooms roomTypes ratePlans roomRates',
  getProducts: 'getRooms getRoomTypes getRatePlans getRoomRates',
  getRoomRateMappings: 'mapping mappings getMapping getMappings',
  taxes: 'fees taxesAndFees',
  webhook: 'webhooks callback callbacks',
  pushbook: 'booking bookings reservation reservations',
  offers: 'search avail availability availabilities rates prices',
  priceCheck: 'prebook recheck checkPrice checkRate quote',
  reservations: 'bookings book reserve orders',
}

export function tradeNamesOf(part: string): readonly string[] {
  return Object.hasOwn(tradeNames, part) ? (tradeNames[part]?.split(' ') ?? []) : []
}
