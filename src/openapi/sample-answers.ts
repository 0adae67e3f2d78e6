/* oxlint-disable max-lines -- Written by scripts/write-sample-answers.ts. */
import type { RouteName } from '../contract.ts'

/** What the service answers to the examples of each operation; a test compares them with a running one. */
export const sampleAnswers: Readonly<Record<RouteName, readonly unknown[]>> = {
  pushHotels: [
    {
      code: '200',
      message: 'Hotels updated successfully',
      requestId: 'example-pushHotels-1',
      created: 1,
      updated: 0,
      unchanged: 0,
      warnings: [],
    },
    {
      code: '400',
      message: 'Validation failure on minChildAge or maxChildAge',
      requestId: 'example-pushHotels-2',
      errors: [
        {
          type: 'CHILD_AGE_INVALID',
          message: 'Validation failure on minChildAge or maxChildAge',
          hint: 'Send both as integers from 1 to 99, minChildAge not above maxChildAge',
          path: '/0/minChildAge',
          value: 0,
        },
        {
          type: 'CURRENCY_INVALID',
          message: 'Currency is not valid',
          hint: 'Send an ISO 4217 code in capitals, for example USD; GET /v1/push/reference lists them',
          path: '/0/currency',
          value: 'EURO',
        },
      ],
    },
  ],
  pushProducts: [
    {
      code: '200',
      message: 'Hotel rates & rooms saved successfully',
      hotelId: 'H1',
      revision: 2,
      requestId: 'example-pushProducts-1',
      created: 2,
      updated: 0,
      unchanged: 0,
      warnings: [],
    },
    {
      code: '400',
      message: 'RoomType is not valid',
      requestId: 'example-pushProducts-2',
      errors: [
        {
          type: 'ROOM_TYPE_INVALID',
          message: 'RoomType is not valid',
          hint: 'Send the name of a room type as GET /v1/push/reference lists it',
          path: '/products/0/roomType',
          value: 'Penthouse Deluxe',
        },
      ],
    },
    {
      code: '404',
      message: 'Hotel ID is not found',
      requestId: 'example-pushProducts-3',
      errors: [
        {
          type: 'HOTEL_NOT_FOUND',
          message: 'Hotel ID is not found',
          hint: 'Push the hotel with POST /push/hotels first',
          path: '/hotelId',
          value: 'H9',
        },
      ],
    },
  ],
  pushTaxes: [
    {
      code: '200',
      message: 'Taxes saved successfully',
      hotelId: 'H1',
      outcome: 'applied',
      scopesChanged: 2,
      revision: 3,
      requestId: 'example-pushTaxes-1',
    },
    {
      code: '400',
      message: 'at least one of taxes or products is required',
      requestId: 'example-pushTaxes-2',
      errors: [
        {
          type: 'TAXES_REQUIRED',
          message: 'at least one of taxes or products is required',
          hint: 'Send taxes for the property, products for rooms and rates, or both',
          path: '',
        },
      ],
    },
  ],
  pushAri: [
    {
      code: '200',
      message: 'ARI updated successfully',
      hotelId: 'H1',
      revision: 4,
      requestId: 'example-pushAri-1',
      summary: {
        items: 1,
        applied: 1,
        partial: 0,
        rejected: 0,
        superseded: 0,
        unchanged: 0,
        cellsChanged: 62,
      },
      results: [
        {
          index: 0,
          status: 'applied',
          cellsChanged: 62,
        },
      ],
    },
    {
      code: '200',
      message: 'ARI updated successfully',
      hotelId: 'H1',
      revision: 5,
      requestId: 'example-pushAri-2',
      summary: {
        items: 1,
        applied: 1,
        partial: 0,
        rejected: 0,
        superseded: 0,
        unchanged: 0,
        cellsChanged: 10,
      },
      results: [
        {
          index: 0,
          status: 'applied',
          cellsChanged: 10,
        },
      ],
    },
    {
      code: '207',
      message: 'ARI partially updated',
      hotelId: 'H1',
      revision: 6,
      requestId: 'example-pushAri-3',
      summary: {
        items: 2,
        applied: 1,
        partial: 0,
        rejected: 1,
        superseded: 0,
        unchanged: 0,
        cellsChanged: 1,
      },
      results: [
        {
          index: 0,
          status: 'applied',
          cellsChanged: 1,
        },
        {
          index: 1,
          status: 'rejected',
          cellsChanged: 0,
          errors: [
            {
              type: 'ROOM_NOT_FOUND',
              message: 'RoomID not found',
              path: '/ari/1/roomId',
              value: 'TWN',
              hint: 'Push the room with POST /push/products first',
            },
          ],
        },
      ],
    },
    {
      code: '404',
      message: 'RoomID not found',
      requestId: 'example-pushAri-4',
      errors: [
        {
          type: 'ROOM_NOT_FOUND',
          message: 'RoomID not found',
          path: '/ari/0/roomId',
          value: 'TWN',
          hint: 'Push the room with POST /push/products first',
        },
      ],
      hotelId: 'H1',
      revision: 6,
      summary: {
        items: 1,
        applied: 0,
        partial: 0,
        rejected: 1,
        superseded: 0,
        unchanged: 0,
        cellsChanged: 0,
      },
      results: [
        {
          index: 0,
          status: 'rejected',
          cellsChanged: 0,
          errors: [
            {
              type: 'ROOM_NOT_FOUND',
              message: 'RoomID not found',
              path: '/ari/0/roomId',
              value: 'TWN',
              hint: 'Push the room with POST /push/products first',
            },
          ],
        },
      ],
    },
    {
      code: '200',
      message: 'ARI updated successfully',
      hotelId: 'H1',
      revision: 6,
      requestId: 'example-pushAri-5',
      dryRun: true,
      summary: {
        items: 1,
        applied: 1,
        partial: 0,
        rejected: 0,
        superseded: 0,
        unchanged: 0,
        cellsChanged: 1,
      },
      results: [
        {
          index: 0,
          status: 'applied',
          cellsChanged: 1,
        },
      ],
    },
  ],
  registerAvailabilityWebhook: [
    {
      code: '200',
      message: 'Webhook request saved successfully',
      signingSecret: 'whsec_…',
      ping: {
        status: 'skipped',
        reason: 'secret_new',
        message: 'Keep signingSecret, then have the URL called with POST /push/webhook/test',
      },
    },
    {
      code: '400',
      message: 'Webhook must be an HTTPS URL',
      requestId: 'example-registerAvailabilityWebhook-2',
      errors: [
        {
          type: 'WEBHOOK_NOT_HTTPS',
          message: 'Webhook must be an HTTPS URL',
          hint: 'For example https://pms.example.com/ari/price-check. To try on one machine, start the sandbox with ARI_ALLOW_PRIVATE_WEBHOOKS=true',
          path: '/webhook',
          value: 'http://pms.example.com/ari',
        },
      ],
    },
  ],
  registerPushbookWebhook: [
    {
      code: '200',
      message: 'Webhook request saved successfully',
      ping: {
        status: 'answered',
        httpStatus: 200,
        durationMs: 4,
      },
    },
    {
      code: '400',
      message: 'Webhook must be an HTTPS URL',
      requestId: 'example-registerPushbookWebhook-2',
      errors: [
        {
          type: 'WEBHOOK_NOT_HTTPS',
          message: 'Webhook must be an HTTPS URL',
          hint: 'For example https://pms.example.com/ari/price-check. To try on one machine, start the sandbox with ARI_ALLOW_PRIVATE_WEBHOOKS=true',
          path: '/webhook',
          value: 'http://pms.example.com/ari',
        },
      ],
    },
  ],
  getHotels: [
    {
      code: '200',
      message: 'Hotels retrieved successfully',
      hotels: [
        {
          hotelId: 'H1',
          hotelName: 'Hôtel de la Gare',
          currency: 'USD',
          isAvailable: true,
          minChildAge: 3,
          maxChildAge: 12,
          city: 'Paris',
          email: 'desk@hoteldelagare.example',
          phone: {
            phoneNumber: '155501234',
            CountryAccessCode: '+33',
          },
          state: 'Île-de-France',
          address: ['18 rue de Dunkerque', '75010 Paris'],
          latitude: 48.8809,
          timezone: 'Europe/Paris',
          chainCode: 'GARE',
          longitude: 2.3553,
          countryCodeISO2: 'FR',
          platformHotelId: '1',
          cityMatched: 'Paris',
          productCount: 2,
          lastAriAt: '2027-03-01T12:00:00.000Z',
          revision: 6,
          goLive: {
            hotels: {
              status: 'done',
              at: '2027-03-01T12:00:00.000Z',
            },
            products: {
              status: 'done',
            },
            taxes: {
              status: 'done',
            },
            ari: {
              status: 'done',
              at: '2027-03-01T12:00:00.000Z',
            },
            availabilityWebhook: {
              status: 'done',
            },
            pushbookWebhook: {
              status: 'done',
            },
            ready: true,
          },
        },
      ],
      notFound: ['H9'],
    },
    {
      code: '200',
      message: 'Hotels retrieved successfully',
      hotels: [
        {
          hotelId: 'H1',
          hotelName: 'Hôtel de la Gare',
          currency: 'USD',
          isAvailable: true,
          minChildAge: 3,
          maxChildAge: 12,
          city: 'Paris',
          email: 'desk@hoteldelagare.example',
          phone: {
            phoneNumber: '155501234',
            CountryAccessCode: '+33',
          },
          state: 'Île-de-France',
          address: ['18 rue de Dunkerque', '75010 Paris'],
          latitude: 48.8809,
          timezone: 'Europe/Paris',
          chainCode: 'GARE',
          longitude: 2.3553,
          countryCodeISO2: 'FR',
          platformHotelId: '1',
          cityMatched: 'Paris',
          productCount: 2,
          lastAriAt: '2027-03-01T12:00:00.000Z',
          revision: 6,
          goLive: {
            hotels: {
              status: 'done',
              at: '2027-03-01T12:00:00.000Z',
            },
            products: {
              status: 'done',
            },
            taxes: {
              status: 'done',
            },
            ari: {
              status: 'done',
              at: '2027-03-01T12:00:00.000Z',
            },
            availabilityWebhook: {
              status: 'done',
            },
            pushbookWebhook: {
              status: 'done',
            },
            ready: true,
          },
        },
      ],
      notFound: [],
    },
  ],
  getProducts: [
    {
      code: '200',
      message: 'Products retrieved successfully',
      hotelId: 'H1',
      revision: 6,
      products: [
        {
          roomId: 'DBL',
          roomType: 'Double',
          roomName: 'Double Room with Courtyard View',
          rateId: 'BAR',
          rateName: 'Best Available Rate',
          isAvailable: true,
          mealPlan: 'BB',
          occupancy: {
            maxOccupancy: 3,
            maxAdult: 2,
            maxChild: 1,
          },
          cancelPolicies: [
            {
              code: 'FLEX2',
              fees: [
                {
                  name: 'Handling',
                  value: 5,
                  valueType: 'fixed',
                  appliedPer: 'per_room_per_stay',
                },
              ],
              description: 'Free cancellation until 2 days before arrival, then the first night',
              cancelPenalties: [
                {
                  noShow: false,
                  penaltyCharge: {
                    nights: 1,
                    chargeBase: 'NightBase',
                  },
                  cancelDeadline: {
                    deadline: '18:00',
                    offsetTimeUnit: 'D',
                    offsetTimeValue: 2,
                  },
                },
                {
                  noShow: true,
                  penaltyCharge: {
                    percent: 100,
                    chargeBase: 'FullStay',
                  },
                },
              ],
            },
          ],
        },
        {
          roomId: 'DBL',
          roomType: 'Double',
          roomName: 'Double Room with Courtyard View',
          rateId: 'NRF',
          rateName: 'Non-refundable',
          isAvailable: true,
          mealPlan: 'RO',
          occupancy: {
            maxOccupancy: 3,
            maxAdult: 2,
            maxChild: 1,
          },
        },
      ],
    },
  ],
  getTaxes: [
    {
      code: '200',
      message: 'Taxes retrieved successfully',
      hotelId: 'H1',
      taxes: [
        {
          type: 'VAT',
          valueType: '%',
          appliedOn: 'net',
          appliedPer: 'per_room_per_night',
          included: true,
          payNow: true,
          value: 10,
        },
      ],
      products: [
        {
          roomId: 'DBL',
          taxes: [
            {
              type: 'CITY_TAX',
              valueType: 'fixed',
              appliedOn: 'net',
              appliedPer: 'per_person_per_night',
              included: false,
              payNow: false,
              value: 2.5,
              startDate: '2027-04-01',
              endDate: '2027-10-31',
            },
          ],
        },
      ],
    },
  ],
  getAri: [
    {
      code: '200',
      message: 'ARI retrieved successfully',
      hotelId: 'H1',
      revision: 6,
      currency: 'USD',
      pricingModel: 'unit',
      ari: [
        {
          roomId: 'DBL',
          startDate: '2027-04-15',
          endDate: '2027-04-28',
          inventory: 6,
          rates: [
            {
              rateId: 'BAR',
              pricingModel: 'guest',
              minLengthStay: 2,
              prices: [
                {
                  ageCategory: 'adult',
                  guests: 1,
                  amount: 90,
                },
                {
                  ageCategory: 'adult',
                  guests: 2,
                  amount: 110,
                },
                {
                  ageCategory: 'child',
                  guests: 1,
                  amount: 15,
                },
              ],
            },
          ],
        },
        {
          roomId: 'DBL',
          startDate: '2027-04-16',
          endDate: '2027-04-17',
          rates: [
            {
              rateId: 'NRF',
              minStayArrival: 2,
              prices: [
                {
                  amount: 125,
                },
              ],
            },
          ],
        },
        {
          roomId: 'DBL',
          startDate: '2027-04-23',
          endDate: '2027-04-24',
          rates: [
            {
              rateId: 'NRF',
              minStayArrival: 2,
              prices: [
                {
                  amount: 125,
                },
              ],
            },
          ],
        },
      ],
    },
  ],
  getRoomRateMappings: [
    {
      code: '200',
      message: 'Room and rate mappings retrieved successfully',
      hotelId: 'H1',
      platformHotelId: '1',
      mappings: [
        {
          roomId: 'DBL',
          roomName: 'Double Room with Courtyard View',
          roomType: 'Double',
          platformRoomId: '1-R1',
          rateId: 'BAR',
          rateName: 'Best Available Rate',
          platformRateId: '1-P1',
          mealPlan: 'BB',
          occupancy: {
            maxOccupancy: 3,
            maxAdult: 2,
            maxChild: 1,
          },
          isAvailable: true,
          pricingModel: 'guest',
          ariFrom: '2027-04-15',
          ariTo: '2027-05-15',
          lastAriAt: '2027-03-01T12:00:00.000Z',
          status: 'active',
        },
        {
          roomId: 'DBL',
          roomName: 'Double Room with Courtyard View',
          roomType: 'Double',
          platformRoomId: '1-R1',
          rateId: 'NRF',
          rateName: 'Non-refundable',
          platformRateId: '1-P2',
          mealPlan: 'RO',
          occupancy: {
            maxOccupancy: 3,
            maxAdult: 2,
            maxChild: 1,
          },
          isAvailable: true,
          pricingModel: 'unit',
          ariFrom: '2027-04-16',
          ariTo: '2027-05-15',
          lastAriAt: '2027-03-01T12:00:00.000Z',
          status: 'active',
        },
      ],
    },
  ],
  getWebhooks: [
    {
      code: '200',
      message: 'Webhooks retrieved successfully',
      availability: 'https://pms.example.com/ari/price-check',
      pushbook: 'https://pms.example.com/ari/reservations',
      hasSigningSecret: true,
      notCallable: [],
    },
  ],
  testWebhook: [
    {
      code: '200',
      message: 'Webhook tested',
      kind: 'availability',
      webhook: 'https://pms.example.com/ari/price-check',
      ping: {
        status: 'answered',
        httpStatus: 200,
        durationMs: 4,
      },
    },
  ],
  listPushes: [
    {
      code: '200',
      message: 'Pushes retrieved successfully',
      pushes: [
        {
          requestId: 'example-pushAri-5',
          kind: 'ari',
          hotelId: 'H1',
          outcome: 'dryRun',
          problems: null,
          warnings: null,
          status: 200,
          revision: 6,
          cellsChanged: 0,
          durationMs: 4,
          bodyBytes: 89,
          keyId: 1,
          at: '2027-03-01T12:00:00.000Z',
        },
        {
          requestId: 'example-pushAri-4',
          kind: 'ari',
          hotelId: 'H1',
          outcome: 'rejected',
          problems: {
            count: 1,
            types: ['ROOM_NOT_FOUND'],
            message: 'RoomID not found',
          },
          warnings: null,
          status: 404,
          revision: 6,
          cellsChanged: 0,
          durationMs: 4,
          bodyBytes: 75,
          keyId: 1,
          at: '2027-03-01T12:00:00.000Z',
        },
        {
          requestId: 'example-pushAri-3',
          kind: 'ari',
          hotelId: 'H1',
          outcome: 'partial',
          problems: {
            count: 1,
            types: ['ROOM_NOT_FOUND'],
            message: 'RoomID not found',
          },
          warnings: null,
          status: 207,
          revision: 6,
          cellsChanged: 1,
          durationMs: 4,
          bodyBytes: 126,
          keyId: 1,
          at: '2027-03-01T12:00:00.000Z',
        },
      ],
      nextCursor: null,
    },
  ],
  getPush: [
    {
      code: '404',
      message: 'Push not found',
      requestId: 'example-getPush-1',
      errors: [
        {
          type: 'PUSH_NOT_FOUND',
          message: 'Push not found',
          path: 'requestId',
          value: 'no-such-push',
          hint: 'Send the x-request-id of a push of this account that is still kept',
        },
      ],
    },
    {
      code: '200',
      message: 'Push retrieved successfully',
      push: {
        requestId: 'example-pushTaxes-2',
        kind: 'taxes',
        hotelId: 'H1',
        outcome: 'rejected',
        problems: {
          count: 1,
          types: ['TAXES_REQUIRED'],
          message: 'at least one of taxes or products is required',
        },
        warnings: null,
        status: 400,
        revision: null,
        cellsChanged: 0,
        durationMs: 4,
        bodyBytes: 16,
        keyId: 1,
        at: '2027-03-01T12:00:00.000Z',
        bodyEncoding: 'json',
        body: {
          hotelId: 'H1',
        },
        answer: {
          code: '400',
          message: 'at least one of taxes or products is required',
          requestId: 'example-pushTaxes-2',
          errors: [
            {
              type: 'TAXES_REQUIRED',
              message: 'at least one of taxes or products is required',
              hint: 'Send taxes for the property, products for rooms and rates, or both',
              path: '',
            },
          ],
        },
      },
      earlier: [],
    },
  ],
  getReference: [
    {
      code: '200',
      message: 'Reference data retrieved successfully',
      roomTypes: [
        {
          name: 'Accessible',
          description: 'Room equipped for guests with reduced mobility',
        },
        {
          name: 'Apartment',
          description: 'Separate unit with kitchen and bathroom, any number of bedrooms',
        },
        {
          name: 'Beach Bungalow',
          description: 'Bungalow at the beach',
        },
      ],
      mealPlans: [
        {
          code: 'AB',
          name: 'American breakfast',
          description: 'Cooked breakfast in the American style',
        },
        {
          code: 'AI',
          name: 'All inclusive',
          description: 'All meals, snacks and local drinks at the hours set',
        },
        {
          code: 'AI+',
          name: 'All inclusive plus',
          description: 'All inclusive with longer hours or more drinks',
        },
      ],
      currencies: [
        {
          code: 'AED',
          minorDigits: 2,
          name: 'UAE Dirham',
        },
        {
          code: 'AFN',
          minorDigits: 2,
          name: 'Afghani',
        },
        {
          code: 'ALL',
          minorDigits: 2,
          name: 'Lek',
        },
      ],
      cancelCodes: [
        {
          code: 'FLEX',
          description: 'Free cancellation until 18:00 on the day of arrival, then the first night',
        },
        {
          code: 'FREE',
          description: 'Free cancellation at any time before arrival',
        },
        {
          code: 'FLEX1',
          description: 'Free cancellation until 1 day before arrival, then the first night',
        },
      ],
    },
  ],
  getLimits: [
    {
      code: '200',
      message: 'Limits retrieved successfully',
      limits: {
        requestsPerMinute: 6000,
        burst: 1000,
        bodyBytesMax: 10485760,
        ariItemsMax: 1000,
        ariCellsMax: 200000,
        bodyValuesMax: 750000,
        bodyNestingMax: 32,
        bodyNamesMax: 20000,
        objectMembersMax: 500,
        hotelsPerRequest: 500,
        productsPerRequest: 10000,
        taxesPerScope: 50,
        taxScopesPerRequest: 2000,
        ariDaysBack: 1,
        ariDaysAhead: 760,
        pushLogEntriesPerPage: 500,
        webhookUrlLength: 2048,
        idempotencyKeyLength: 64,
        idempotencyHours: 24,
        errorsListed: 100,
      },
    },
  ],
  findOffers: [
    {
      code: '200',
      message: 'Offers retrieved successfully',
      hotels: [
        {
          platformHotelId: '1',
          supplier: 'Docs',
          hotelId: 'H1',
          currency: 'USD',
          revision: 6,
          offers: [
            {
              roomId: 'DBL',
              platformRoomId: '1-R1',
              roomName: 'Double Room with Courtyard View',
              rateId: 'BAR',
              platformRateId: '1-P1',
              rateName: 'Best Available Rate',
              mealPlan: 'BB',
              unitsLeft: 6,
              rooms: [
                {
                  nights: [
                    {
                      date: '2027-04-20',
                      amount: '125.00',
                    },
                    {
                      date: '2027-04-21',
                      amount: '125.00',
                    },
                    {
                      date: '2027-04-22',
                      amount: '125.00',
                    },
                  ],
                },
              ],
              taxes: [
                {
                  type: 'VAT',
                  included: true,
                  payNow: true,
                  amount: '34.09',
                },
                {
                  type: 'CITY_TAX',
                  included: false,
                  payNow: false,
                  amount: '22.50',
                },
              ],
              total: {
                beforeTax: '340.91',
                tax: '34.09',
                afterTax: '375.00',
                dueAtProperty: '22.50',
              },
              cancelPolicy: {
                code: 'FLEX2',
                description: 'Free cancellation until 2 days before arrival, then the first night',
                penalties: [
                  {
                    from: '2027-04-18T18:00:00+02:00',
                    amount: '125.00',
                  },
                  {
                    from: '2027-04-21T00:00:00+02:00',
                    amount: '375.00',
                    noShow: true,
                  },
                ],
              },
              fees: [
                {
                  name: 'Handling',
                  amount: '5.00',
                  appliedPer: 'per_room_per_stay',
                  payNow: false,
                },
              ],
            },
          ],
        },
      ],
      notFound: [
        {
          platformHotelId: '999999',
        },
      ],
    },
    {
      code: '200',
      message: 'Offers retrieved successfully',
      hotels: [
        {
          platformHotelId: '1',
          supplier: 'Docs',
          hotelId: 'H1',
          currency: 'USD',
          revision: 6,
          offers: [],
          unavailable: [
            {
              roomId: 'DBL',
              rateId: 'BAR',
              rules: [
                {
                  rule: 'minLengthStay',
                  pass: false,
                  held: 2,
                  asked: 1,
                  dates: ['2027-04-20'],
                  setBy: {
                    requestId: 'example-pushAri-1',
                    at: '2027-03-01T12:00:00.000Z',
                    item: 0,
                  },
                },
                {
                  rule: 'hotelAvailable',
                  pass: true,
                  held: true,
                  asked: true,
                  dates: [],
                },
                {
                  rule: 'productAvailable',
                  pass: true,
                  held: true,
                  asked: true,
                  dates: [],
                },
                {
                  rule: 'arrivalDate',
                  pass: true,
                  held: '2027-03-01',
                  asked: '2027-04-20',
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'occupancy',
                  pass: true,
                  held: {
                    maxOccupancy: 3,
                    maxAdult: 2,
                    maxChild: 1,
                  },
                  asked: {
                    adults: 2,
                    children: 0,
                    infants: 0,
                  },
                  dates: [],
                },
                {
                  rule: 'inventory',
                  of: 'room',
                  pass: true,
                  held: 6,
                  asked: 1,
                  dates: ['2027-04-20'],
                  setBy: {
                    requestId: 'example-pushAri-1',
                    at: '2027-03-01T12:00:00.000Z',
                    item: 0,
                  },
                },
                {
                  rule: 'price',
                  pass: true,
                  held: '110.00',
                  asked: {
                    adults: 2,
                    children: 0,
                    infants: 0,
                  },
                  dates: ['2027-04-20'],
                  setBy: {
                    requestId: 'example-pushAri-1',
                    at: '2027-03-01T12:00:00.000Z',
                    item: 0,
                  },
                },
                {
                  rule: 'closed',
                  of: 'room',
                  pass: true,
                  held: false,
                  asked: false,
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'closed',
                  of: 'rate',
                  pass: true,
                  held: false,
                  asked: false,
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'stopSell',
                  of: 'room',
                  pass: true,
                  held: false,
                  asked: false,
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'stopSell',
                  of: 'rate',
                  pass: true,
                  held: false,
                  asked: false,
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'closedToArrival',
                  pass: true,
                  held: false,
                  asked: false,
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'closedToDeparture',
                  pass: true,
                  held: false,
                  asked: false,
                  dates: ['2027-04-21'],
                },
                {
                  rule: 'minStayArrival',
                  pass: true,
                  held: null,
                  asked: 1,
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'maxStayArrival',
                  pass: true,
                  held: null,
                  asked: 1,
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'maxLengthStay',
                  pass: true,
                  held: null,
                  asked: 1,
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'minAdvanceDays',
                  pass: true,
                  held: null,
                  asked: 50,
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'maxAdvanceDays',
                  pass: true,
                  held: null,
                  asked: 50,
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'taxes',
                  held: null,
                  asked: null,
                  pass: true,
                  dates: [],
                },
              ],
              nearest: {
                checkin: '2027-04-20',
                checkout: '2027-04-22',
                rooms: [
                  {
                    adults: 2,
                    childAges: [],
                  },
                ],
                change: '2 nights instead of 1',
              },
            },
            {
              roomId: 'DBL',
              rateId: 'NRF',
              rules: [
                {
                  rule: 'price',
                  pass: false,
                  held: null,
                  asked: {
                    adults: 2,
                    children: 0,
                    infants: 0,
                  },
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'hotelAvailable',
                  pass: true,
                  held: true,
                  asked: true,
                  dates: [],
                },
                {
                  rule: 'productAvailable',
                  pass: true,
                  held: true,
                  asked: true,
                  dates: [],
                },
                {
                  rule: 'arrivalDate',
                  pass: true,
                  held: '2027-03-01',
                  asked: '2027-04-20',
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'occupancy',
                  pass: true,
                  held: {
                    maxOccupancy: 3,
                    maxAdult: 2,
                    maxChild: 1,
                  },
                  asked: {
                    adults: 2,
                    children: 0,
                    infants: 0,
                  },
                  dates: [],
                },
                {
                  rule: 'inventory',
                  of: 'room',
                  pass: true,
                  held: 6,
                  asked: 1,
                  dates: ['2027-04-20'],
                  setBy: {
                    requestId: 'example-pushAri-1',
                    at: '2027-03-01T12:00:00.000Z',
                    item: 0,
                  },
                },
                {
                  rule: 'closed',
                  of: 'room',
                  pass: true,
                  held: false,
                  asked: false,
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'closed',
                  of: 'rate',
                  pass: true,
                  held: false,
                  asked: false,
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'stopSell',
                  of: 'room',
                  pass: true,
                  held: false,
                  asked: false,
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'stopSell',
                  of: 'rate',
                  pass: true,
                  held: false,
                  asked: false,
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'closedToArrival',
                  pass: true,
                  held: false,
                  asked: false,
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'closedToDeparture',
                  pass: true,
                  held: false,
                  asked: false,
                  dates: ['2027-04-21'],
                },
                {
                  rule: 'minStayArrival',
                  pass: true,
                  held: null,
                  asked: 1,
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'maxStayArrival',
                  pass: true,
                  held: null,
                  asked: 1,
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'minLengthStay',
                  pass: true,
                  held: null,
                  asked: 1,
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'maxLengthStay',
                  pass: true,
                  held: null,
                  asked: 1,
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'minAdvanceDays',
                  pass: true,
                  held: null,
                  asked: 50,
                  dates: ['2027-04-20'],
                },
                {
                  rule: 'maxAdvanceDays',
                  pass: true,
                  held: null,
                  asked: 50,
                  dates: ['2027-04-20'],
                },
              ],
              nearest: {
                checkin: '2027-04-23',
                checkout: '2027-04-25',
                rooms: [
                  {
                    adults: 2,
                    childAges: [],
                  },
                ],
                change: '2 nights instead of 1, arrive on Friday 2027-04-23',
              },
            },
          ],
        },
      ],
      notFound: [],
    },
  ],
  checkPrice: [
    {
      code: '200',
      message: 'Price checked',
      priceCheckId: '7b0c1a52-52c3-4f2a-9c3e-0d8a4f6c1e11',
      outcome: 'available',
      bookable: true,
      live: {
        currency: 'USD',
        inventory: 5,
        amountBeforeTax: ['113.63', '113.64', '113.64'],
        amountAfterTax: ['125.00', '125.00', '125.00'],
      },
      stored: {
        currency: 'USD',
        inventory: 6,
        amountBeforeTax: ['113.63', '113.64', '113.64'],
        amountAfterTax: ['125.00', '125.00', '125.00'],
        bookable: true,
        revision: 6,
      },
      difference: '0.00',
      durationMs: 4,
    },
    {
      code: '404',
      message: 'RateID not found',
      requestId: 'example-checkPrice-2',
      errors: [
        {
          type: 'RATE_NOT_FOUND',
          message: 'RateID not found',
          hint: 'Check what POST /v1/booking/offers names, room and rate together',
          path: '/rateId',
          value: 'WEEKEND',
        },
      ],
    },
  ],
  listPriceChecks: [
    {
      code: '200',
      message: 'Price checks retrieved successfully',
      priceChecks: [
        {
          priceCheckId: '7b0c1a52-52c3-4f2a-9c3e-0d8a4f6c1e11',
          webhookId: 'chk_7b0c1a52-52c3-4f2a-9c3e-0d8a4f6c1e11',
          at: '2027-03-01T12:00:00.000Z',
          hotelId: 'H1',
          roomId: 'DBL',
          rateId: 'BAR',
          checkin: '2027-04-20',
          checkout: '2027-04-23',
          roomCount: 1,
          adultCount: 2,
          childAges: [5],
          outcome: 'available',
          bookable: true,
          live: {
            currency: 'USD',
            inventory: 5,
            amountBeforeTax: ['113.63', '113.64', '113.64'],
            amountAfterTax: ['125.00', '125.00', '125.00'],
          },
          stored: {
            currency: 'USD',
            inventory: 6,
            amountBeforeTax: ['113.63', '113.64', '113.64'],
            amountAfterTax: ['125.00', '125.00', '125.00'],
            bookable: true,
            revision: 6,
          },
          difference: '0.00',
          durationMs: 4,
        },
      ],
      nextCursor: null,
      drift: {
        currency: 'USD',
        nights: 3,
        differingNights: 0,
        checks: 3,
        differing: 0,
        soldOut: 0,
        worst: [],
      },
    },
  ],
  listChanges: [
    {
      code: '200',
      message: 'Changes retrieved successfully',
      changes: [],
      cursor: 'Y2hhbmdlIDkyOCA0MQ',
      hasMore: false,
    },
  ],
  createReservation: [
    {
      code: '201',
      message: 'Reservation confirmed',
      reservationId: '1',
      version: 1,
      status: 'Confirm',
      currency: 'USD',
      total: {
        beforeTax: '340.91',
        tax: '34.09',
        afterTax: '375.00',
        dueAtProperty: '22.50',
      },
      priceChecks: [
        {
          priceCheckId: '7b0c1a52-52c3-4f2a-9c3e-0d8a4f6c1e11',
          roomId: 'DBL',
          rateId: 'BAR',
          outcome: 'available',
        },
      ],
      delivery: {
        status: 'queued',
      },
      warnings: [],
    },
    {
      code: '409',
      message: 'The price has changed',
      requestId: 'example-createReservation-2',
      errors: [
        {
          type: 'PRICE_CHANGED',
          message: 'The price has changed',
          hint: 'Ask the guest, then send the same with expectedTotal.afterTax from total',
          path: '/expectedTotal/afterTax',
        },
      ],
      total: {
        beforeTax: '340.91',
        tax: '34.09',
        afterTax: '375.00',
        dueAtProperty: '22.50',
      },
      currency: 'USD',
    },
    {
      code: '409',
      message: 'The stay cannot be booked',
      requestId: 'example-createReservation-3',
      errors: [
        {
          type: 'NOT_BOOKABLE',
          message: 'The stay cannot be booked',
          hint: 'See rules for what forbids it, and POST /v1/booking/offers for what can be booked',
          path: '/rooms/0',
        },
      ],
      rules: [
        {
          rooms: [0],
          roomId: 'DBL',
          rateId: 'BAR',
          rule: 'minLengthStay',
          pass: false,
          held: 2,
          asked: 1,
          dates: ['2027-04-20'],
          setBy: {
            requestId: 'example-pushAri-1',
            at: '2027-03-01T12:00:00.000Z',
            item: 0,
          },
        },
      ],
    },
  ],
  modifyReservation: [
    {
      code: '200',
      message: 'Reservation modified',
      reservationId: '1',
      version: 2,
      status: 'Confirm',
      currency: 'USD',
      total: {
        beforeTax: '340.91',
        tax: '34.09',
        afterTax: '375.00',
        dueAtProperty: '22.50',
      },
      priceChecks: [],
      delivery: {
        status: 'queued',
      },
      warnings: [],
    },
  ],
  getReservation: [
    {
      code: '200',
      message: 'Reservation retrieved successfully',
      reservation: {
        reservationId: '1',
        version: 2,
        status: 'Confirm',
        platformHotelId: '1',
        supplier: 'Docs',
        hotelId: 'H1',
        hotelName: 'Hôtel de la Gare',
        checkin: '2027-04-20',
        checkout: '2027-04-23',
        currency: 'USD',
        rooms: [
          {
            roomId: 'DBL',
            roomName: 'Double Room with Courtyard View',
            rateId: 'BAR',
            rateName: 'Best Available Rate',
            mealPlan: 'BB',
            adults: 2,
            childAges: [5],
            guest: {
              lastName: 'Hopper',
              firstName: 'Grace',
            },
            nights: [
              {
                date: '2027-04-20',
                beforeTax: '113.63',
                afterTax: '125.00',
              },
              {
                date: '2027-04-21',
                beforeTax: '113.64',
                afterTax: '125.00',
              },
              {
                date: '2027-04-22',
                beforeTax: '113.64',
                afterTax: '125.00',
              },
            ],
            taxes: [
              {
                type: 'VAT',
                amount: '34.09',
                payNow: true,
                included: true,
              },
              {
                type: 'CITY_TAX',
                amount: '22.50',
                payNow: false,
                included: false,
              },
            ],
            total: {
              beforeTax: '340.91',
              tax: '34.09',
              afterTax: '375.00',
              dueAtProperty: '22.50',
            },
            cancelPolicy: {
              code: 'FLEX2',
              penalties: [
                {
                  from: '2027-04-18T18:00:00+02:00',
                  amount: '125.00',
                },
                {
                  from: '2027-04-21T00:00:00+02:00',
                  amount: '375.00',
                  noShow: true,
                },
              ],
              description: 'Free cancellation until 2 days before arrival, then the first night',
            },
            fees: [
              {
                name: 'Handling',
                amount: '5.00',
                appliedPer: 'per_room_per_stay',
                payNow: false,
              },
            ],
          },
        ],
        customer: {
          email: 'ada@guest.example',
          phone: '+44 20 7946 0000',
          remarks: 'Late arrival',
          lastName: 'Lovelace',
          firstName: 'Ada',
          countryCode: 'GB',
        },
        payment: {
          type: 'Channel Collect',
        },
        total: {
          beforeTax: '340.91',
          tax: '34.09',
          afterTax: '375.00',
          dueAtProperty: '22.50',
        },
        penalty: null,
        priceChecks: [],
        createdAt: '2027-03-01T12:00:00.000Z',
        modifiedAt: '2027-03-01T12:00:00.000Z',
        delivery: {
          status: 'queued',
        },
      },
      versions: [
        {
          version: 1,
          status: 'Confirm',
          at: '2027-03-01T12:00:00.000Z',
          total: {
            beforeTax: '340.91',
            tax: '34.09',
            afterTax: '375.00',
            dueAtProperty: '22.50',
          },
        },
        {
          version: 2,
          status: 'Confirm',
          at: '2027-03-01T12:00:00.000Z',
          total: {
            beforeTax: '340.91',
            tax: '34.09',
            afterTax: '375.00',
            dueAtProperty: '22.50',
          },
        },
      ],
    },
  ],
  listReservations: [
    {
      code: '200',
      message: 'Reservations retrieved successfully',
      reservations: [
        {
          reservationId: '1',
          version: 2,
          status: 'Confirm',
          platformHotelId: '1',
          supplier: 'Docs',
          hotelId: 'H1',
          hotelName: 'Hôtel de la Gare',
          checkin: '2027-04-20',
          checkout: '2027-04-23',
          currency: 'USD',
          rooms: [
            {
              roomId: 'DBL',
              roomName: 'Double Room with Courtyard View',
              rateId: 'BAR',
              rateName: 'Best Available Rate',
              mealPlan: 'BB',
              adults: 2,
              childAges: [5],
              guest: {
                lastName: 'Hopper',
                firstName: 'Grace',
              },
              nights: [
                {
                  date: '2027-04-20',
                  beforeTax: '113.63',
                  afterTax: '125.00',
                },
                {
                  date: '2027-04-21',
                  beforeTax: '113.64',
                  afterTax: '125.00',
                },
                {
                  date: '2027-04-22',
                  beforeTax: '113.64',
                  afterTax: '125.00',
                },
              ],
              taxes: [
                {
                  type: 'VAT',
                  amount: '34.09',
                  payNow: true,
                  included: true,
                },
                {
                  type: 'CITY_TAX',
                  amount: '22.50',
                  payNow: false,
                  included: false,
                },
              ],
              total: {
                beforeTax: '340.91',
                tax: '34.09',
                afterTax: '375.00',
                dueAtProperty: '22.50',
              },
              cancelPolicy: {
                code: 'FLEX2',
                penalties: [
                  {
                    from: '2027-04-18T18:00:00+02:00',
                    amount: '125.00',
                  },
                  {
                    from: '2027-04-21T00:00:00+02:00',
                    amount: '375.00',
                    noShow: true,
                  },
                ],
                description: 'Free cancellation until 2 days before arrival, then the first night',
              },
              fees: [
                {
                  name: 'Handling',
                  amount: '5.00',
                  appliedPer: 'per_room_per_stay',
                  payNow: false,
                },
              ],
            },
          ],
          customer: {
            email: 'ada@guest.example',
            phone: '+44 20 7946 0000',
            remarks: 'Late arrival',
            lastName: 'Lovelace',
            firstName: 'Ada',
            countryCode: 'GB',
          },
          payment: {
            type: 'Channel Collect',
          },
          total: {
            beforeTax: '340.91',
            tax: '34.09',
            afterTax: '375.00',
            dueAtProperty: '22.50',
          },
          penalty: null,
          priceChecks: [],
          createdAt: '2027-03-01T12:00:00.000Z',
          modifiedAt: '2027-03-01T12:00:00.000Z',
          delivery: {
            status: 'queued',
          },
        },
      ],
      nextCursor: null,
    },
  ],
  cancelReservation: [
    {
      code: '200',
      message: 'Reservation cancelled',
      reservationId: '1',
      version: 3,
      status: 'Cancel',
      penalty: {
        amount: '0.00',
        currency: 'USD',
        by: [],
      },
      delivery: {
        status: 'queued',
      },
    },
  ],
  orderFaults: [
    {
      code: '200',
      message: 'Faults ordered',
      faults: [
        {
          calls: 'priceCheck',
          fault: 'timeout',
          hotelId: null,
          timesLeft: 2,
          expiresAt: '2027-03-01T12:00:00.000Z',
        },
        {
          calls: 'pushBooking',
          fault: 'lostReply',
          hotelId: 'H1',
          timesLeft: 1,
          expiresAt: '2027-03-01T12:00:00.000Z',
        },
      ],
    },
    {
      code: '200',
      message: 'Faults ordered',
      faults: [],
    },
  ],
  getFaults: [
    {
      code: '200',
      message: 'Faults retrieved successfully',
      faults: [],
    },
  ],
  bookTest: [
    {
      code: '201',
      message: 'Reservation confirmed',
      reservationId: '2',
      version: 1,
      status: 'Confirm',
      currency: 'USD',
      total: {
        beforeTax: '340.91',
        tax: '34.09',
        afterTax: '375.00',
        dueAtProperty: '22.50',
      },
      priceChecks: [
        {
          priceCheckId: '7b0c1a52-52c3-4f2a-9c3e-0d8a4f6c1e11',
          roomId: 'DBL',
          rateId: 'BAR',
          outcome: 'available',
        },
      ],
      delivery: {
        status: 'queued',
      },
      warnings: [],
    },
    {
      code: '404',
      message: 'Reservation not found',
      requestId: 'example-bookTest-2',
      errors: [
        {
          type: 'RESERVATION_NOT_FOUND',
          message: 'Reservation not found',
          hint: 'Check hotelId and reservation_id',
          path: '/reservation_id',
          value: '999999999',
        },
      ],
    },
  ],
  pushBooking: [
    {
      code: '404',
      message: 'Reservation not found',
      requestId: 'example-pushBooking-1',
      errors: [
        {
          type: 'RESERVATION_NOT_FOUND',
          message: 'Reservation not found',
          hint: 'Check hotelId and reservation_id',
          path: '/reservation_id',
          value: '55191',
        },
      ],
    },
  ],
  retrieveReservations: [
    {
      code: '200',
      message: 'Reservations retrieved successfully',
      data: [
        {
          hotelId: 'H1',
          status: 'Cancel',
          reservations: {
            reservation: [
              {
                reservation_id: '1',
                reservation_version: '3',
                reservation_datetime: '2027-03-01T12:00:00',
                modified_datetime: '2027-03-01T12:00:00.000Z',
                status: 'Cancel',
                propertyname: 'Hôtel de la Gare',
                payment_required: '0',
                payment_type: 'Channel Collect',
                currencycode: 'USD',
                totalamountbeforetax: '340.91',
                totaltax: '34.09',
                totalamountaftertax: '375.00',
                penalty: {
                  amount: '0.00',
                  currency: 'USD',
                  by: [],
                },
                customer: {
                  first_name: 'Ada',
                  last_name: 'Lovelace',
                  email: 'ada@guest.example',
                  phone: '+44 20 7946 0000',
                  country_code: 'GB',
                  remarks: 'Late arrival',
                },
                room: [
                  {
                    arrival_date: '2027-04-20',
                    departure_date: '2027-04-23',
                    room_id: 'DBL',
                    room_name: 'Double Room with Courtyard View',
                    meal_plan: 'BB',
                    first_name: 'Grace',
                    last_name: 'Hopper',
                    price: [
                      {
                        date: '2027-04-20',
                        rate_id: 'BAR',
                        rate_name: 'Best Available Rate',
                        amountbeforetax: '113.63',
                        amountaftertax: '125.00',
                      },
                      {
                        date: '2027-04-21',
                        rate_id: 'BAR',
                        rate_name: 'Best Available Rate',
                        amountbeforetax: '113.64',
                        amountaftertax: '125.00',
                      },
                      {
                        date: '2027-04-22',
                        rate_id: 'BAR',
                        rate_name: 'Best Available Rate',
                        amountbeforetax: '113.64',
                        amountaftertax: '125.00',
                      },
                    ],
                    taxes: [
                      {
                        name: 'VAT',
                        value: '34.09',
                        included: '1',
                        pay_now: '1',
                      },
                      {
                        name: 'CITY_TAX',
                        value: '22.50',
                        included: '0',
                        pay_now: '0',
                      },
                    ],
                    fees: [
                      {
                        name: 'Handling',
                        value: '5.00',
                        applied_per: 'per_room_per_stay',
                        pay_now: '0',
                      },
                    ],
                    amountaftertax: '375.00',
                    GuestCount: [
                      {
                        AgeQualifyingCode: '10',
                        Count: '2',
                      },
                      {
                        AgeQualifyingCode: '8',
                        Count: '1',
                        Age: '5',
                      },
                    ],
                  },
                ],
              },
            ],
          },
        },
        {
          hotelId: 'H1',
          status: 'Confirm',
          reservations: {
            reservation: [
              {
                reservation_id: '2',
                reservation_version: '1',
                reservation_datetime: '2027-03-01T12:00:00',
                modified_datetime: '2027-03-01T12:00:00.000Z',
                status: 'Confirm',
                propertyname: 'Hôtel de la Gare',
                payment_required: '0',
                payment_type: 'Channel Collect',
                currencycode: 'USD',
                totalamountbeforetax: '340.91',
                totaltax: '34.09',
                totalamountaftertax: '375.00',
                customer: {
                  first_name: 'Test',
                  last_name: 'Guest',
                },
                room: [
                  {
                    arrival_date: '2027-04-20',
                    departure_date: '2027-04-23',
                    room_id: 'DBL',
                    room_name: 'Double Room with Courtyard View',
                    meal_plan: 'BB',
                    first_name: 'Test',
                    last_name: 'Guest',
                    price: [
                      {
                        date: '2027-04-20',
                        rate_id: 'BAR',
                        rate_name: 'Best Available Rate',
                        amountbeforetax: '113.63',
                        amountaftertax: '125.00',
                      },
                      {
                        date: '2027-04-21',
                        rate_id: 'BAR',
                        rate_name: 'Best Available Rate',
                        amountbeforetax: '113.64',
                        amountaftertax: '125.00',
                      },
                      {
                        date: '2027-04-22',
                        rate_id: 'BAR',
                        rate_name: 'Best Available Rate',
                        amountbeforetax: '113.64',
                        amountaftertax: '125.00',
                      },
                    ],
                    taxes: [
                      {
                        name: 'VAT',
                        value: '34.09',
                        included: '1',
                        pay_now: '1',
                      },
                      {
                        name: 'CITY_TAX',
                        value: '22.50',
                        included: '0',
                        pay_now: '0',
                      },
                    ],
                    fees: [
                      {
                        name: 'Handling',
                        value: '5.00',
                        applied_per: 'per_room_per_stay',
                        pay_now: '0',
                      },
                    ],
                    amountaftertax: '375.00',
                    GuestCount: [
                      {
                        AgeQualifyingCode: '10',
                        Count: '2',
                      },
                      {
                        AgeQualifyingCode: '8',
                        Count: '1',
                        Age: '5',
                      },
                    ],
                  },
                ],
              },
            ],
          },
        },
      ],
      nextCursor: null,
    },
  ],
  acknowledgeReservations: [
    {
      code: '404',
      message: 'Reservation not found',
      requestId: 'example-acknowledgeReservations-1',
      errors: [
        {
          type: 'RESERVATION_NOT_FOUND',
          message: 'Reservation not found',
          hint: 'Check hotelId and reservation_id',
          path: '/reservations/0/reservation_id',
          value: '55191',
        },
      ],
    },
  ],
  listDeliveries: [
    {
      code: '200',
      message: 'Deliveries retrieved successfully',
      deliveries: [],
      nextCursor: null,
    },
  ],
  sendDeliveriesAgain: [
    {
      code: '404',
      message: 'Delivery not found',
      requestId: 'example-sendDeliveriesAgain-1',
      errors: [
        {
          type: 'DELIVERY_NOT_FOUND',
          message: 'Delivery not found',
          hint: 'Send a deliveryId of GET /push/deliveries',
          path: '/deliveryIds/0',
          value: 'dlv_2f1c7d5e-6d0b-4f0e-9d55-6b2f6a2f3c1d',
        },
      ],
    },
  ],
  removeAvailabilityWebhook: [
    {
      code: '200',
      message: 'Webhook removed successfully',
    },
  ],
  removePushbookWebhook: [
    {
      code: '200',
      message: 'Webhook removed successfully',
    },
  ],
  advanceClock: [
    {
      code: '200',
      message: 'Clock advanced',
      clock: {
        now: '2027-03-01T12:00:00.000Z',
        aheadBy: 'P3D',
      },
      deliveriesDue: 2,
    },
    {
      code: '400',
      message: 'advanceBy must be a duration of a second or more',
      requestId: 'example-advanceClock-2',
      errors: [
        {
          type: 'DURATION_INVALID',
          message: 'advanceBy must be a duration of a second or more',
          hint: 'Send weeks, days, hours, minutes and seconds as ISO 8601 has them: PT10S, PT72H, P30D',
          path: '/advanceBy',
          value: 'tomorrow',
        },
      ],
    },
  ],
  getClock: [
    {
      code: '200',
      message: 'Clock retrieved successfully',
      clock: {
        now: '2027-03-01T12:00:00.000Z',
        aheadBy: 'P3D',
      },
    },
  ],
  resetSandbox: [
    {
      code: '200',
      message: 'Sandbox reset',
      removed: {
        hotels: 1,
        roomRates: 2,
        reservations: 2,
        deliveries: 4,
      },
      clock: {
        now: '2027-03-01T12:00:00.000Z',
        aheadBy: 'PT0S',
      },
    },
  ],
}
