import { storeStamp } from '../postgres/store-epoch.ts'

/** What a hotel's row says of everything that is cached of it. */
export type HotelVersions = {
  /** Versions of one store say nothing of another one's contents. */
  storeStamp: string
  hotelId: number
  revision: number
  catalogVersion: number
  ariVersion: number
  /** Prices set at this revision or before it are of a former currency. */
  currencyRevision: number
}

/** Of `hotel`. */
export const hotelVersionColumns = `${storeStamp} as "storeStamp", hotel.id as "hotelId", hotel.revision, hotel.catalog_version as "catalogVersion",
  hotel.ari_version as "ariVersion", hotel.currency_revision as "currencyRevision"`
