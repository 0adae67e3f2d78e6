import type { consoleRoutes } from '../../../src/console-api/contract.ts'

/** A body for every route of the console that changes or asks by one, in an order in which none takes away what the next needs. */

type Routes = typeof consoleRoutes
type Changing = {
  [Name in keyof Routes]: Routes[Name]['method'] extends 'GET' ? never : Name
}[keyof Routes]

/** The days from today on are numbered. */
export function consoleChanges(day: (ahead: number) => string): Readonly<Record<Changing, unknown>> {
  const stay = { checkin: day(20), checkout: day(22) }
  const rooms = [{ adults: 2, childAges: [] }]
  const rules = [{ kind: 'priceDrop', percent: 90, action: 'warn' }]
  const reason = 'A proof'
  return {
    explainStay: { ...stay, rooms, roomId: 'DBL', rateId: 'BAR' },
    explainHotel: { ...stay, rooms },
    searchKey: { pasted: 'ari_sbx_0000000000000000000000000000000000000000000' },
    saveView: { path: '/pushes', name: 'Mine', query: 'outcome=rejected' },
    removeView: { path: '/pushes', name: 'Mine' },
    changeWork: { key: 'hotel.noAri:1', action: 'note', note: 'Looked at' },
    testSupplierAlerts: undefined,
    acknowledgeAlert: undefined,
    setDefaultGuard: { rules },
    setSupplierGuard: { rules },
    releaseHold: { reason },
    discardHold: { reason },
    createOperator: { name: 'Olga', role: 'viewer' },
    changeOperatorRole: { role: 'operator' },
    disableOperator: undefined,
    enableOperator: undefined,
    resetSecondFactor: undefined,
    createSignInLink: undefined,
    createSupplier: { name: 'Another' },
    changeSupplier: { onFailure: 'reject' },
    changeGoLiveStep: { isNeeded: true },
    createSupplierKey: { channelManager: 'CM' },
    limitSupplierKey: { requestsPerMinute: 0 },
    expireSupplierKey: { at: `${day(30)}T00:00:00Z` },
    rotateSigningSecret: { overlapMinutes: 60 },
    pingWebhook: { kind: 'pushbook' },
    createPerson: { name: 'Paula', role: 'viewer' },
    changePersonRole: { role: 'manager' },
    disablePerson: undefined,
    enablePerson: undefined,
    createPersonLink: undefined,
    createExport: { kind: 'ari', format: 'ndjson' },
    addReferenceEntry: { list: 'mealPlans', key: 'XX', description: 'Another one' },
    retireReferenceEntry: { list: 'mealPlans', key: 'XX' },
    bringBackReferenceEntry: { list: 'mealPlans', key: 'XX' },
    orderSandboxFaults: { faults: [] },
    bookInSandbox: { hotelId: 'H1', roomId: 'DBL', rateId: 'BAR', ...stay, adults: 2, childAges: [] },
    cancelInSandbox: { hotelId: 'H1', reservationId: '1', expectedPenalty: null },
    requestHotelResync: undefined,
    stopSell: { action: 'stop', targets: [{ roomId: 'DBL' }], from: day(25), to: day(26), reason },
    resumeSales: undefined,
    sendDeliveryAgain: undefined,
    sendDeliveriesAgain: { deliveryIds: ['00000000-0000-7000-8000-000000000000'] },
    reportStayForHotel: { report: 'card_invalid' },
    addReservationNote: { text: 'A note' },
    undoPush: { onConflict: 'skip', reason },
    beginSecondFactor: {},
    confirmSecondFactor: { code: '123456' },
    removeSecondFactor: { code: '123456' },
    signIn: { name: 'Nobody', password: 'a wrong password' },
    signInByLink: { token: 'none' },
    signUp: { email: 'somebody@example.com', company: 'A company' },
    advanceSandboxClock: { advanceBy: 'PT1H' },
    pushExampleHotel: undefined,
    rotateSupplierKey: { overlapMinutes: 60 },
    resetSandboxAccount: undefined,
    revokeSupplierKey: undefined,
    changePassword: { next: 'a password of more than twelve letters' },
    signOut: undefined,
  }
}
