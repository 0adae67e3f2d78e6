/** The package's exports for every runtime with fetch. */
export type * from './api.ts'
export { failedItems, isWhollyApplied, type FailedItem } from './ari-results.ts'
export type { Attempt, ConnectOptions, Fetch } from './call.ts'
export { bookingClient, supplierClient, type BookingClient, type SupplierClient } from './clients.ts'
export type { Change, FollowedChanges, FollowOptions } from './follow-changes.ts'
export type { CallOptions, UploadOptions } from './operations.ts'
export {
  hotelDigests,
  nightLines,
  type DigestGroup,
  type Digests,
  type HotelDigests,
  type MonthDigests,
  type ProductName,
  type StoredNight,
} from './digest.ts'
export { followBulkJob, loadBulkData, type FollowJobOptions, type LoadOptions } from './load-data.ts'
export { refusalOf } from './refusals.ts'
export { reconcile, type Reconciled, type ReconcileOptions } from './reconcile.ts'
export { storedNights } from './stored-nights.ts'
export type { Data, FileStream } from './transfers.ts'
export { GatewayError, isGatewayError } from './gateway-error.ts'
export {
  handleCallbacks,
  handleNodeCallbacks,
  type CallbackHandlers,
  type CallInfo,
  type DeliveryAnswer,
  type NodeRequest,
  type NodeResponse,
} from './handle-callbacks.ts'
export {
  CallbackBodyError,
  readCallback,
  readDelivery,
  readPriceCheck,
  type Callback,
} from './handle-callbacks.ts'
export {
  SignatureError,
  verifyCallback,
  type CallbackHeaders,
  type SignedCall,
  type VerifiedCall,
  type VerifyOptions,
} from './verify-callback.ts'
