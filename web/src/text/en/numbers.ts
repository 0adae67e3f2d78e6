export const numbers = {
  title: 'Numbers',
  intro:
    'Reservations of a month by supplier and currency. Room nights and value leave out cancelled reservations; value includes taxes.',
  views: 'Count by',
  by: { booked: 'Month booked (UTC)', arrival: 'Month of arrival' },
  filter: { month: 'Month', supplier: 'Supplier', previous: 'Previous month', next: 'Next month' },
  column: {
    supplier: 'Supplier',
    currency: 'Currency',
    bookings: 'Bookings',
    cancelled: 'Cancelled',
    roomNights: 'Room nights',
    value: 'Value',
  },
  csv: { month: 'Month', by: 'Counted by' },
  cut: 'These are the first {{count}} rows, and the totals are theirs alone. Choose a supplier to see the others.',
  empty: {
    booked: 'No reservations were booked in {{month}}',
    arrival: 'No guests arrive in {{month}}',
    hint: {
      booked: 'The first ones were booked in {{month}}.',
      arrival: 'The first ones arrive in {{month}}.',
    },
    none: 'There are no reservations yet.',
    toFirst: 'Show {{month}}',
  },
}
