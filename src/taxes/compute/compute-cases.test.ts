import { testCases } from '../../../test/stage/taxes/tax-cases.ts'

// One room, in a currency with two minor digits. test/stage/taxes/tax-cases.ts explains how to read the table.

testCases(`
  No taxes: the price is before and after tax
  none
  2p 100.00 90.00
  no line | 190.00 + 0.00 = 190.00, due 0.00 | 100.00/100.00 90.00/90.00

  VAT in the price: 110 / 1.1 = 100
  VAT 10% included
  2p 110.00
  10.00 | 100.00 + 10.00 = 110.00, due 0.00 | 100.00/110.00

  VAT on top: 100 · 0.1 = 10
  VAT 10% added
  2p 100.00
  10.00 | 100.00 + 10.00 = 110.00, due 0.00 | 100.00/110.00

  VAT due at the property is not charged: 100 · 0.1 = 10, beside the 100
  VAT 10% due
  2p 100.00
  10.00 | 100.00 + 0.00 = 100.00, due 10.00 | 100.00/100.00

  A price that doesn't divide: 100 / 1.2 = 83.333…, VAT 16.666…
  VAT 20% included
  2p 100.00
  16.67 | 83.33 + 16.67 = 100.00, due 0.00 | 83.33/100.00

  Down where the third decimal is below five: 99.99 · 7 / 107 = 6.5414…
  VAT 7% included
  2p 99.99
  6.54 | 93.45 + 6.54 = 99.99, due 0.00 | 93.45/99.99

  A tax of nothing has a line of nothing
  VAT 0% included
  2p 100.00
  0.00 | 100.00 + 0.00 = 100.00, due 0.00 | 100.00/100.00

  A percentage with a decimal: 90 / 1.125 = 80
  VAT 12.5% included
  2p 90.00
  10.00 | 80.00 + 10.00 = 90.00, due 0.00 | 80.00/90.00

  Three nights that leave no odd cent: 300 / 11 = 27.2727…, 9.0909… a night
  VAT 10% included
  2p 100.00 100.00 100.00
  27.27 | 272.73 + 27.27 = 300.00, due 0.00 | 90.91/100.00 90.91/100.00 90.91/100.00

  Three nights that share two odd cents: 300 / 6 = 50, 16.666… a night
  VAT 20% included
  2p 100.00 100.00 100.00
  50.00 | 250.00 + 50.00 = 300.00, due 0.00 | 83.33/100.00 83.33/100.00 83.34/100.00

  The odd cent goes to the largest fraction: 1.04 + 2.08 + 1.48 = 4.6 cents, so 1 + 2 + 1 and one more to the third
  VAT 4% added
  2p 0.26 0.52 0.37
  0.05 | 1.15 + 0.05 = 1.20, due 0.00 | 0.26/0.27 0.52/0.54 0.37/0.39

  Rounded once for the room, not a night: 3 · 1.4 = 4.2 cents
  VAT 10% added
  2p 0.14 0.14 0.14
  0.04 | 0.42 + 0.04 = 0.46, due 0.00 | 0.14/0.16 0.14/0.15 0.14/0.15

  Nights of different prices: 10 + 20 + 5
  VAT 10% included
  2p 110.00 220.00 55.00
  35.00 | 350.00 + 35.00 = 385.00, due 0.00 | 100.00/110.00 200.00/220.00 50.00/55.00

  Half a cent is rounded up: 0.10 · 0.05 = 0.005
  VAT 5% added
  2p 0.10
  0.01 | 0.10 + 0.01 = 0.11, due 0.00 | 0.10/0.11

  Two and a half cents are three, not the even two: 0.50 · 0.05 = 0.025
  VAT 5% added
  2p 0.50
  0.03 | 0.50 + 0.03 = 0.53, due 0.00 | 0.50/0.53

  Hardly below half a cent is rounded down: 0.10 · 0.04999999 = 0.004999999
  VAT 4.999999% added
  2p 0.10
  0.00 | 0.10 + 0.00 = 0.10, due 0.00 | 0.10/0.10

  Hardly above half a cent is rounded up: 0.10 · 0.05000001 = 0.005000001
  VAT 5.000001% added
  2p 0.10
  0.01 | 0.10 + 0.01 = 0.11, due 0.00 | 0.10/0.11

  Half a cent inside the price: 0.05 / 2 = 0.025 of VAT
  VAT 100% included
  2p 0.05
  0.03 | 0.02 + 0.03 = 0.05, due 0.00 | 0.02/0.05

  Half a cent due at the property: 0.50 · 0.01 = 0.005
  LOCAL_TAX 1% due
  2p 0.50
  0.01 | 0.50 + 0.00 = 0.50, due 0.01 | 0.50/0.50

  Half a cent that only the nights together make: 0.25 + 0.25 cents
  VAT 1% added
  2p 0.25 0.25
  0.01 | 0.50 + 0.01 = 0.51, due 0.00 | 0.25/0.26 0.25/0.25

  Three roundings up on one night: 3 · 0.5 cents are 3 · 1
  VAT 1% added; LOCAL_TAX 1% added; GOV_TAX 1% added
  2p 0.50
  0.01, 0.01, 0.01 | 0.50 + 0.03 = 0.53, due 0.00 | 0.50/0.53

  Three roundings down on one night: 3 · 0.4 = 1.2 cents are 3 · 0
  VAT 0.8% added; LOCAL_TAX 0.8% added; GOV_TAX 0.8% added
  2p 0.50
  0.00, 0.00, 0.00 | 0.50 + 0.00 = 0.50, due 0.00 | 0.50/0.50
`)

// Fixed amounts.
testCases(`
  A room a night: 2 · 2.50
  CITY_TAX 2.50 per_room_per_night added
  2p 100.00 100.00
  5.00 | 200.00 + 5.00 = 205.00, due 0.00 | 100.00/102.50 100.00/102.50

  A person a night, due: 2 · 2 · 2.50
  CITY_TAX 2.50 per_person_per_night due
  2p 100.00 100.00
  10.00 | 200.00 + 0.00 = 200.00, due 10.00 | 100.00/100.00 100.00/100.00

  A person a night, three persons: 3 · 2 · 1.15
  CITY_TAX 1.15 per_person_per_night added
  3p 100.00 100.00
  6.90 | 200.00 + 6.90 = 206.90, due 0.00 | 100.00/103.45 100.00/103.45

  A stay, spread over its nights: 10 / 3 = 3.333… each, the odd cent to the first
  GOV_TAX 10.00 per_room_per_stay added
  2p 100.00 100.00 100.00
  10.00 | 300.00 + 10.00 = 310.00, due 0.00 | 100.00/103.34 100.00/103.33 100.00/103.33

  A person a stay, due: 3 · 5
  GOV_TAX 5.00 per_person_per_stay due
  3p 100.00 100.00
  15.00 | 200.00 + 0.00 = 200.00, due 15.00 | 100.00/100.00 100.00/100.00

  A person a stay, added: 2 · 5 over three nights = 3.333… each
  GOV_TAX 5.00 per_person_per_stay added
  2p 80.00 80.00 80.00
  10.00 | 240.00 + 10.00 = 250.00, due 0.00 | 80.00/83.34 80.00/83.33 80.00/83.33

  In the price, a room a night: 100 − 4
  CITY_TAX 4.00 per_room_per_night included
  2p 100.00 100.00
  8.00 | 192.00 + 8.00 = 200.00, due 0.00 | 96.00/100.00 96.00/100.00

  In the price, a stay: 10 / 3 = 3.333… off each night
  CITY_TAX 10.00 per_room_per_stay included
  2p 100.00 100.00 100.00
  10.00 | 290.00 + 10.00 = 300.00, due 0.00 | 96.66/100.00 96.67/100.00 96.67/100.00

  In the price, a person a night: 100 − 3 · 1.50
  CITY_TAX 1.50 per_person_per_night included
  3p 100.00
  4.50 | 95.50 + 4.50 = 100.00, due 0.00 | 95.50/100.00

  Nobody counts in a room of infants
  CITY_TAX 2.50 per_person_per_night added
  0p 100.00
  0.00 | 100.00 + 0.00 = 100.00, due 0.00 | 100.00/100.00

  What a fixed tax is applied on changes nothing: 10 and 2.50
  VAT 10% added; CITY_TAX 2.50 on net+vat added
  2p 100.00
  10.00, 2.50 | 100.00 + 12.50 = 112.50, due 0.00 | 100.00/112.50

  What a percentage is applied per changes nothing: 200 · 0.05, whoever stays
  LOCAL_TAX 5% per_person_per_stay added
  3p 100.00 100.00
  10.00 | 200.00 + 10.00 = 210.00, due 0.00 | 100.00/105.00 100.00/105.00

  A fixed VAT alone
  VAT 3.00 added
  2p 100.00
  3.00 | 100.00 + 3.00 = 103.00, due 0.00 | 100.00/103.00

  A tax that takes the whole price leaves zero: 100 − 100
  CITY_TAX 100.00 included
  2p 100.00
  100.00 | 0.00 + 100.00 = 100.00, due 0.00 | 0.00/100.00
`)

// Several taxes, on net and on net+vat.
testCases(`
  All five types: 10, 1, 2 are charged, 5 and 1 due
  VAT 10% added; CITY_TAX 1.00 added; LOCAL_TAX 2% added; GOV_TAX 5.00 per_room_per_stay due; OTHER_TAX 1% due
  2p 100.00
  10.00, 1.00, 2.00, 5.00, 1.00 | 100.00 + 13.00 = 113.00, due 6.00 | 100.00/113.00

  Included, added and due together: net 110 / 1.1 = 100, of it 3 %, and 2 · 2.50
  VAT 10% included; CITY_TAX 2.50 per_person_per_night due; LOCAL_TAX 3% added
  2p 110.00
  10.00, 5.00, 3.00 | 100.00 + 13.00 = 113.00, due 5.00 | 100.00/113.00

  A percentage and an amount in the price: (114.40 − 4.40) / 1.1 = 100
  VAT 10% included; CITY_TAX 4.40 included
  2p 114.40
  10.00, 4.40 | 100.00 + 14.40 = 114.40, due 0.00 | 100.00/114.40

  A percentage of a net without the amount in the price: (110 − 10) · 0.05 = 5
  CITY_TAX 10.00 included; LOCAL_TAX 5% added
  2p 110.00
  10.00, 5.00 | 100.00 + 15.00 = 115.00, due 0.00 | 100.00/115.00

  Two percentages in the price: 115 / 1.15 = 100
  VAT 10% included; LOCAL_TAX 5% included
  2p 115.00
  10.00, 5.00 | 100.00 + 15.00 = 115.00, due 0.00 | 100.00/115.00

  What is before tax follows the rounded taxes: 100 / 1.15 = 86.9565…, taxes 8.6956… and 4.3478…
  VAT 10% included; LOCAL_TAX 5% included
  2p 100.00
  8.70, 4.35 | 86.95 + 13.05 = 100.00, due 0.00 | 86.95/100.00

  On net+vat, both on top: 100 · 0.05 · 1.1 = 5.50
  VAT 10% added; CITY_TAX 5% on net+vat added
  2p 100.00
  10.00, 5.50 | 100.00 + 15.50 = 115.50, due 0.00 | 100.00/115.50

  On net+vat, the VAT in the price: net 110 / 1.1 = 100
  VAT 10% included; CITY_TAX 5% on net+vat added
  2p 110.00
  10.00, 5.50 | 100.00 + 15.50 = 115.50, due 0.00 | 100.00/115.50

  On net+vat, both in the price: 115.50 / (1 + 0.1 + 0.05 · 1.1) = 100
  VAT 10% included; CITY_TAX 5% on net+vat included
  2p 115.50
  10.00, 5.50 | 100.00 + 15.50 = 115.50, due 0.00 | 100.00/115.50

  On net+vat in the price, the VAT on top: 105.50 / (1 + 0.05 · 1.1) = 100
  VAT 10% added; CITY_TAX 5% on net+vat included
  2p 105.50
  10.00, 5.50 | 100.00 + 15.50 = 115.50, due 0.00 | 100.00/115.50

  On net+vat with two VATs: 100 · 0.1 · (1 + 0.1 + 0.05) = 11.50
  VAT 10% added; VAT 5% added; LOCAL_TAX 10% on net+vat added
  2p 100.00
  10.00, 5.00, 11.50 | 100.00 + 26.50 = 126.50, due 0.00 | 100.00/126.50

  On net+vat where the VAT is due: 100 · 0.1 · 1.2 = 12
  VAT 20% due; CITY_TAX 10% on net+vat added
  2p 100.00
  20.00, 12.00 | 100.00 + 12.00 = 112.00, due 20.00 | 100.00/112.00

  On net+vat without a VAT it is on net: 100 · 0.05
  CITY_TAX 5% on net+vat added
  2p 100.00
  5.00 | 100.00 + 5.00 = 105.00, due 0.00 | 100.00/105.00

  Two on net+vat don't see each other: 100 · 1.1 · 0.05 and · 0.1
  VAT 10% added; CITY_TAX 5% on net+vat added; GOV_TAX 10% on net+vat added
  2p 100.00
  10.00, 5.50, 11.00 | 100.00 + 26.50 = 126.50, due 0.00 | 100.00/126.50

  On net+vat with a fixed VAT: (100 + 10) · 0.05 = 5.50
  VAT 10.00 added; CITY_TAX 5% on net+vat added
  2p 100.00
  10.00, 5.50 | 100.00 + 15.50 = 115.50, due 0.00 | 100.00/115.50

  On net+vat with a fixed VAT a person: (100 + 3 · 10) · 0.05 = 6.50
  VAT 10.00 per_person_per_night added; CITY_TAX 5% on net+vat added
  3p 100.00
  30.00, 6.50 | 100.00 + 36.50 = 136.50, due 0.00 | 100.00/136.50

  On net+vat with a fixed VAT a stay: (200 + 10) · 0.1 = 21
  VAT 10.00 per_room_per_stay added; LOCAL_TAX 10% on net+vat added
  2p 100.00 100.00
  10.00, 21.00 | 200.00 + 31.00 = 231.00, due 0.00 | 100.00/115.50 100.00/115.50

  On net+vat with both kinds of VAT: (100 · 1.1 + 2) · 0.1 = 11.20
  VAT 10% added; VAT 2.00 added; GOV_TAX 10% on net+vat added
  2p 100.00
  10.00, 2.00, 11.20 | 100.00 + 23.20 = 123.20, due 0.00 | 100.00/123.20

  A fixed VAT and what is on it, all in the price: (115.50 − 10 − 0.05 · 10) / 1.05 = 100
  VAT 10.00 included; CITY_TAX 5% on net+vat included
  2p 115.50
  10.00, 5.50 | 100.00 + 15.50 = 115.50, due 0.00 | 100.00/115.50

  A fixed VAT in the price, what is on it on top: net 110 − 10 = 100, (100 + 10) · 0.05
  VAT 10.00 included; CITY_TAX 5% on net+vat added
  2p 110.00
  10.00, 5.50 | 100.00 + 15.50 = 115.50, due 0.00 | 100.00/115.50

  A fixed VAT on top, what is on it in the price: (105.50 − 0.05 · 10) / 1.05 = 100
  VAT 10.00 added; CITY_TAX 5% on net+vat included
  2p 105.50
  10.00, 5.50 | 100.00 + 15.50 = 115.50, due 0.00 | 100.00/115.50
`)
