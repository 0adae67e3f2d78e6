import { testCases } from '../../../test/stage/taxes/tax-cases.ts'

// test/stage/taxes/tax-cases.ts explains how to read the tables.

// Taxes with dates.
testCases(`
  A tax that begins during the stay: on nights 2 and 3
  VAT 10% included; CITY_TAX 5.00 added nights 2..9
  2p 110.00 110.00 110.00
  30.00, 10.00 | 300.00 + 40.00 = 340.00, due 0.00 | 100.00/110.00 100.00/115.00 100.00/115.00

  A percentage in the price of one night: 110 / 1.1, and 100 as it is
  VAT 10% included nights 1..1
  2p 110.00 100.00
  10.00 | 200.00 + 10.00 = 210.00, due 0.00 | 100.00/110.00 100.00/100.00

  Both dates count: nights 2 and 3 of four
  CITY_TAX 1.00 added nights 2..3
  2p 100.00 100.00 100.00 100.00
  2.00 | 400.00 + 2.00 = 402.00, due 0.00 | 100.00/100.00 100.00/101.00 100.00/101.00 100.00/100.00

  The departure day is no night: a tax from then on has no line
  CITY_TAX 1.00 added nights 3..9
  2p 100.00 100.00
  no line | 200.00 + 0.00 = 200.00, due 0.00 | 100.00/100.00 100.00/100.00

  A tax that ended the night before has no line
  CITY_TAX 1.00 added nights -5..0; VAT 10% added
  2p 100.00
  10.00 | 100.00 + 10.00 = 110.00, due 0.00 | 100.00/110.00

  A stay's amount lies on the nights with the tax: 9 / 2 = 4.50 on nights 2 and 3
  GOV_TAX 9.00 per_room_per_stay included nights 2..9
  2p 100.00 100.00 100.00
  9.00 | 291.00 + 9.00 = 300.00, due 0.00 | 100.00/100.00 95.50/100.00 95.50/100.00

  A stay's amount is nothing where the tax applies to no night
  GOV_TAX 9.00 per_room_per_stay due nights 4..5
  2p 100.00 100.00 100.00
  no line | 300.00 + 0.00 = 300.00, due 0.00 | 100.00/100.00 100.00/100.00 100.00/100.00

  A stay's amount a person, on one night of two: 2 · 7
  GOV_TAX 7.00 per_person_per_stay added nights 0..1
  2p 100.00 100.00
  14.00 | 200.00 + 14.00 = 214.00, due 0.00 | 100.00/114.00 100.00/100.00

  A VAT that rises during the stay: 110 / 1.1, then 120 / 1.2
  VAT 10% included nights 0..1; VAT 20% included nights 2..9
  2p 110.00 120.00
  10.00, 20.00 | 200.00 + 30.00 = 230.00, due 0.00 | 100.00/110.00 100.00/120.00

  On net+vat where the VAT ends: 100 · 0.1 · 1.1 = 11, then 10
  VAT 10% added nights 1..1; CITY_TAX 10% on net+vat added
  2p 100.00 100.00
  10.00, 21.00 | 200.00 + 31.00 = 231.00, due 0.00 | 100.00/121.00 100.00/110.00

  A stay's amount in the price of one night beside VAT: (130 − 20) / 1.1, then 110 / 1.1
  VAT 10% included; GOV_TAX 20.00 per_room_per_stay included nights 1..1
  2p 130.00 110.00
  20.00, 20.00 | 200.00 + 40.00 = 240.00, due 0.00 | 100.00/130.00 100.00/110.00

  One rounding over nights of different VAT: a tax of 1 % of 0.50 / 1.25 + 0.50 / 2 = 0.65, so 0.0065
  VAT 25% included nights 1..1; VAT 100% included nights 2..2; LOCAL_TAX 1% added
  2p 0.50 0.50
  0.10, 0.25, 0.01 | 0.65 + 0.36 = 1.01, due 0.00 | 0.40/0.51 0.25/0.50

  Stays of two dated taxes overlap: 6 / 3 = 2 on nights 1 to 3, 6 / 2 = 3 on nights 3 and 4
  GOV_TAX 6.00 per_room_per_stay added nights 1..3; CITY_TAX 6.00 per_room_per_stay added nights 3..4
  2p 50.00 50.00 50.00 50.00
  6.00, 6.00 | 200.00 + 12.00 = 212.00, due 0.00 | 50.00/52.00 50.00/52.00 50.00/55.00 50.00/53.00

  Roundings up stay on the night that has the taxes: 3 · 0.5 cents are 3 · 1
  VAT 1% added nights 1..1; LOCAL_TAX 1% added nights 1..1; GOV_TAX 1% added nights 1..1
  2p 0.50 0.50
  0.01, 0.01, 0.01 | 1.00 + 0.03 = 1.03, due 0.00 | 0.50/0.53 0.50/0.50

  Roundings up that the night can't hold move on: 2 / 4 = 0.5 cents of each tax, 3 · 1 of a price of 2
  VAT 100% included nights 1..1; LOCAL_TAX 100% included nights 1..1; GOV_TAX 100% included nights 1..1
  2p 0.02 0.50
  0.01, 0.01, 0.01 | 0.49 + 0.03 = 0.52, due 0.00 | 0.00/0.02 0.49/0.50
`)

// Taxes of the property, the room, the rate and the pair.
testCases(`
  All four scopes add up: 10 + 1 + 2 + 3
  VAT 10% added; CITY_TAX 1.00 added @1/*; LOCAL_TAX 2.00 added @*/1; GOV_TAX 3.00 added @1/1
  2p @1/1 100.00
  10.00, 1.00, 2.00, 3.00 | 100.00 + 16.00 = 116.00, due 0.00 | 100.00/116.00

  The room at another rate: 10 + 1
  VAT 10% added; CITY_TAX 1.00 added @1/*; LOCAL_TAX 2.00 added @*/1; GOV_TAX 3.00 added @1/1
  2p @1/2 100.00
  10.00, 1.00 | 100.00 + 11.00 = 111.00, due 0.00 | 100.00/111.00

  The rate with another room: 10 + 2
  VAT 10% added; CITY_TAX 1.00 added @1/*; LOCAL_TAX 2.00 added @*/1; GOV_TAX 3.00 added @1/1
  2p @2/1 100.00
  10.00, 2.00 | 100.00 + 12.00 = 112.00, due 0.00 | 100.00/112.00

  Another room at another rate pays the property's alone: 10
  VAT 10% added; CITY_TAX 1.00 added @1/*; LOCAL_TAX 2.00 added @*/1; GOV_TAX 3.00 added @1/1
  2p @2/2 100.00
  10.00 | 100.00 + 10.00 = 110.00, due 0.00 | 100.00/110.00

  A pair's tax without any other scope
  GOV_TAX 3.00 added @1/1
  2p @1/1 100.00; 2p @1/2 100.00
  3.00 | 200.00 + 3.00 = 203.00, due 0.00 | 100.00/103.00; 100.00/100.00

  The property's tax on net+vat sees the room's VAT: 100 · 0.1 · 1.2
  CITY_TAX 10% on net+vat added; VAT 20% added @1/*
  2p @1/1 100.00
  12.00, 20.00 | 100.00 + 32.00 = 132.00, due 0.00 | 100.00/132.00

  The same tax in two scopes is two taxes: 10 + 10
  VAT 10% added; VAT 10% added @1/*
  2p @1/1 100.00
  10.00, 10.00 | 100.00 + 20.00 = 120.00, due 0.00 | 100.00/120.00

  Rooms of different room-rates share the lines they share: VAT 10 + 20, the rate's 2 + 2
  VAT 10% added; CITY_TAX 1.00 added @1/*; LOCAL_TAX 2.00 added @*/1; GOV_TAX 3.00 added @1/1
  2p @1/1 100.00; 2p @2/1 200.00
  30.00, 1.00, 4.00, 3.00 | 300.00 + 38.00 = 338.00, due 0.00 | 100.00/116.00; 200.00/222.00
`)

// Several rooms.
testCases(`
  Rooms of different parties: VAT 20 + 16, due 2 · 2 · 2 + 1 · 2 · 2
  VAT 10% included; CITY_TAX 2.00 per_person_per_night due
  2p 110.00 110.00; 1p 88.00 88.00
  36.00, 12.00 | 360.00 + 36.00 = 396.00, due 12.00 | 100.00/110.00 100.00/110.00; 80.00/88.00 80.00/88.00

  Each room is rounded by itself: 2 · 16.67, where 200 / 6 is 33.33
  VAT 20% included
  2p 100.00; 2p 100.00
  33.34 | 166.66 + 33.34 = 200.00, due 0.00 | 83.33/100.00; 83.33/100.00

  Half a cent a room is a cent a room: 2 · 0.005
  VAT 5% added
  2p 0.10; 2p 0.10
  0.02 | 0.20 + 0.02 = 0.22, due 0.00 | 0.10/0.11; 0.10/0.11

  A room's stay is paid for each room: 2 · 10
  GOV_TAX 10.00 per_room_per_stay added
  2p 50.00 50.00; 3p 50.00 50.00
  20.00 | 200.00 + 20.00 = 220.00, due 0.00 | 50.00/55.00 50.00/55.00; 50.00/55.00 50.00/55.00

  A fixed VAT a person differs by room: (100 + 10) · 0.1 + (100 + 30) · 0.1 = 24
  VAT 10.00 per_person_per_night added; CITY_TAX 10% on net+vat added
  1p 100.00; 3p 100.00
  40.00, 24.00 | 200.00 + 64.00 = 264.00, due 0.00 | 100.00/121.00; 100.00/143.00
`)

// Currencies without minor digits, and with three.
testCases(
  `
  Yen: 10000 / 11 = 909.09…
  VAT 10% included
  2p 10000
  909 | 9091 + 909 = 10000, due 0 | 9091/10000

  Yen, three nights: 3000 · 8 / 108 = 222.22…, 74.07… a night
  VAT 8% included
  2p 1000 1000 1000
  222 | 2778 + 222 = 3000, due 0 | 926/1000 926/1000 926/1000

  Yen, a stay's 100 over three nights: 34 + 33 + 33
  GOV_TAX 100 per_room_per_stay added
  2p 1000 1000 1000
  100 | 3000 + 100 = 3100, due 0 | 1000/1034 1000/1033 1000/1033

  Half a yen is rounded up: 10 · 0.05 = 0.5
  VAT 5% added
  2p 10
  1 | 10 + 1 = 11, due 0 | 10/11

  A fixed tax from before the hotel took the yen has no amount
  CITY_TAX 2.50 added
  2p 1000 1000 1000
  FORMER_CURRENCY on 1 2 3
`,
  0,
)
testCases(
  `
  Dinars: 10.500 / 1.05 = 10
  VAT 5% included
  2p 10.500
  0.500 | 10.000 + 0.500 = 10.500, due 0.000 | 10.000/10.500

  Dinars a person a night, due: 2 · 2 · 0.125
  CITY_TAX 0.125 per_person_per_night due
  2p 30.000 30.000
  0.500 | 60.000 + 0.000 = 60.000, due 0.500 | 30.000/30.000 30.000/30.000

  Half a fils is rounded up: 0.150 · 0.07 = 0.0105
  VAT 7% added
  2p 0.150
  0.011 | 0.150 + 0.011 = 0.161, due 0.000 | 0.150/0.161

  Amounts that can't be counted: 9,999 persons at the largest fixed tax, 10^12 fils each
  CITY_TAX 999999999 per_person_per_night added
  9999p 10.000 10.000
  TOTAL_TOO_LARGE on 1 2
`,
  3,
)

// Included taxes that exceed the price.
testCases(`
  More in the price than the price: 100 − 150
  CITY_TAX 150.00 included
  2p 100.00
  TAXES_EXCEED_PRICE on 1

  By a cent, on one night of three: 59.99 − 60
  CITY_TAX 60.00 included
  2p 100.00 59.99 100.00
  TAXES_EXCEED_PRICE on 2

  A stay's amount, spread: 100 / 2 = 50 on each, the second night costs 49.99
  GOV_TAX 100.00 per_room_per_stay included
  2p 100.00 49.99
  TAXES_EXCEED_PRICE on 2

  Not whole cents: 100 / 3 = 33.333… on each, 33.33 is too little and 33.34 enough
  GOV_TAX 100.00 per_room_per_stay included
  2p 33.34 33.33 33.34
  TAXES_EXCEED_PRICE on 2

  The persons of the second room: 100 − 3 · 40
  CITY_TAX 40.00 per_person_per_night included
  2p 100.00; 3p 100.00
  TAXES_EXCEED_PRICE on 1

  The percentage of a fixed VAT too: 105 − 100 − 0.1 · 100
  VAT 100.00 included; CITY_TAX 10% on net+vat included
  2p 105.00
  TAXES_EXCEED_PRICE on 1

  Only while the tax applies: 50 − 60 on the second night, the first has no tax
  CITY_TAX 60.00 included nights 2..2
  2p 50.00 50.00
  TAXES_EXCEED_PRICE on 2

  By rounding: 2 / 4 = 0.5 cents of net and of each tax, 3 · 1 of a price of 2
  VAT 100% included; LOCAL_TAX 100% included; GOV_TAX 100% included
  2p 0.02
  TAXES_EXCEED_PRICE on 1

  Taxes that are not in the price can't exceed it
  CITY_TAX 150.00 added; GOV_TAX 150.00 due
  2p 100.00
  150.00, 150.00 | 100.00 + 150.00 = 250.00, due 150.00 | 100.00/250.00
`)

// The largest and the finest values.
testCases(`
  The largest price: 9999999999.99 · 19 / 119 = 1596638655.46058…
  VAT 19% included
  2p 9999999999.99
  1596638655.46 | 8403361344.53 + 1596638655.46 = 9999999999.99, due 0.00 | 8403361344.53/9999999999.99

  The largest percentage: 110 / 11 = 10
  VAT 1000% included
  2p 110.00
  100.00 | 10.00 + 100.00 = 110.00, due 0.00 | 10.00/110.00

  A percentage with six decimals: 200 · 0.08875123 = 17.750246
  VAT 8.875123% added
  2p 200.00
  17.75 | 200.00 + 17.75 = 217.75, due 0.00 | 200.00/217.75
`)
