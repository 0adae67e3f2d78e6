import { itemErrors } from '../ari/item-contract.ts'
import { guardWarning } from '../ari/guard/contract.ts'
import type { RouteName } from '../contract.ts'
import { hotelWarnings } from '../hotels/contract.ts'
import { reservationsAffected } from '../hotels/open-reservations.ts'
import { formerAmountWarning } from '../hotels/former-currency.ts'
import { taxWarnings } from '../taxes/tax-warnings.ts'
import { productWarnings } from '../products/contract.ts'
import { cardErrors } from '../cards/contract.ts'
import type { ListedError } from './shapes.ts'

/** Warnings about a push that was accepted nevertheless. */
export const remarks: Readonly<Partial<Record<RouteName, readonly ListedError[]>>> = {
  pushHotels: [
    ...Object.values(hotelWarnings),
    reservationsAffected({ reservations: 3, firstArrival: '2027-04-20' }, 'currency'),
  ],
  pushTaxes: [
    ...Object.values(taxWarnings),
    formerAmountWarning('CITY_TAX of the property, 3.5 EUR', '/taxes/0/value'),
  ],
  getTaxes: [formerAmountWarning('CITY_TAX of the property, 3.5 EUR', '/taxes/0/value')],
  getProducts: [
    formerAmountWarning('The fee Cleaning of FLEX, 12 EUR', '/products/0/cancelPolicies/0/fees/0/value'),
  ],
  pushProducts: [
    formerAmountWarning('The fee Cleaning of FLEX, 12 EUR', '/products/0/cancelPolicies/0/fees/0/value'),
    {
      type: 'ATTRIBUTE_OVERRULED',
      message: 'roomName is overridden by a later product of the same push',
      hint: 'It belongs to the whole room; the last product that contains it applies',
    },
    productWarnings.occupancyLowered,
    productWarnings.policiesCleared,
    productWarnings.infantsStillSold,
    productWarnings.pricesOld('on 2027-02-18, 11 days ago'),
    reservationsAffected({ reservations: 3, firstArrival: '2027-04-20' }, 'closed'),
    productWarnings.cleared(['mealPlan', 'occupancy.maxChild']),
  ],
  createReservation: [cardErrors.notDelivered, cardErrors.removed],
  modifyReservation: [cardErrors.notDelivered, cardErrors.removed],
  pushAri: [
    {
      type: 'SUPERSEDED',
      message: '3 nights kept the values of a higher sequence',
      hint: 'Nothing to do: a push with a higher sequence arrived before this one',
    },
    {
      type: 'NOTHING_SENT',
      message: 'Nothing was changed: no value was sent',
      hint: 'Unknown and ignored: availability',
    },
    itemErrors.negativeInventory,
    {
      type: 'INVENTORY_TWICE',
      message:
        'DBL has another inventory earlier in this push for 2 nights (2027-04-15, 2027-04-16): the last one, 4, counts',
      hint: "The other is at /ari/0. An item's inventory is that of the room, for all its rates; a rate's own share goes into its entry of rates",
    },
    {
      type: 'NEVER_BOOKABLE',
      message: '3 nights cannot be booked: minLengthStay is above maxLengthStay',
      hint: 'Send minLengthStay and maxLengthStay together, or null for the one that no longer applies',
    },
    {
      type: 'NEVER_BOOKABLE',
      message: 'No stay can begin on 3 nights: minStayArrival is above maxLengthStay',
      hint: 'Send minStayArrival and maxLengthStay together, or null for the one that no longer applies',
    },
    {
      type: 'NEVER_BOOKABLE',
      message:
        'No stay can begin on 3 nights: minStayArrival is above maxLengthStay within the shortest stay',
      hint: 'Nights that every such stay includes contradict each other: raise maxLengthStay there, or lower minStayArrival',
    },
    {
      type: 'NEVER_BOOKABLE',
      message: '3 nights cannot be booked: there is a price but no inventory',
      hint: 'Send the inventory of the room or of the rate for the same nights; a night without inventory is not sold',
    },
    {
      type: 'NEVER_BOOKABLE',
      message: '3 nights cannot be booked: a price is below the taxes that it includes',
      hint: 'Taxes marked included are part of the amount; POST /push/getTaxes lists them',
    },
    {
      type: 'DEPARTURE_RULE_UNUSED',
      message: 'closedToDeparture has no effect on 1 day: the night before is not on sale',
      hint: 'Set it on the day on which guests leave, not on their last night',
    },
    {
      type: 'SINGLE_ABOVE_DOUBLE',
      message: 'On 3 nights one adult pays more than two',
      hint: 'amount is the total for the guests of its line, not a price per guest',
    },
    {
      type: 'ROUND_NUMBER_X10',
      message: '3 nights got a price that is ten times, or a tenth of, the previous one',
      hint: 'Applied as sent; check the decimal point and the currency',
    },
    {
      type: 'ROUND_NUMBER_X100',
      message: '3 nights got a price that is a hundred times, or a hundredth of, the previous one',
      hint: 'Applied as sent; send amounts in the unit of the currency (110.00), not in its cents (11000)',
    },
    {
      type: 'TODAY_ONLY',
      message:
        'maxAdvanceDays is 0 on 3 nights after tomorrow: a stay from there can be booked only on the day of its arrival',
      hint: 'If no limit is meant, send null; 0 is a limit, as 1 is',
    },
    guardWarning,
    {
      type: 'GUEST_FIELDS_IGNORED',
      message: 'guests and ageCategory are ignored when pricingModel is unit',
      hint: 'The amount is for the room, regardless of the guests; send pricingModel guest for prices by number of guests',
    },
  ],
  getAri: [
    {
      type: 'FORMER_CURRENCY',
      message: "Prices of 3 nights were pushed before the hotel's currency changed and cannot be sold",
      hint: "Push them again in the hotel's currency",
    },
    {
      type: 'BEYOND_OCCUPANCY',
      message: 'Prices of 3 nights are for more guests than the product allows and cannot be sold',
      hint: 'Nothing to do, unless the occupancy is wrong: they can be sold again once it allows them',
    },
  ],
}
