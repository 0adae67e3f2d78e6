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
    },
    {
      code: '400',
      message: 'Webhook must be an HTTPS URL',
      requestId: 'example-registerAvailabilityWebhook-2',
      errors: [
        {
          type: 'WEBHOOK_NOT_HTTPS',
          message: 'Webhook must be an HTTPS URL',
          hint: 'For example https://pms.example.com/ari/price-check',
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
    },
    {
      code: '400',
      message: 'Webhook must be an HTTPS URL',
      requestId: 'example-registerPushbookWebhook-2',
      errors: [
        {
          type: 'WEBHOOK_NOT_HTTPS',
          message: 'Webhook must be an HTTPS URL',
          hint: 'For example https://pms.example.com/ari/price-check',
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
  pushBooking: [
    {
      code: '404',
      message: 'Reservation not found',
      requestId: 'example-pushBooking-1',
      errors: [
        {
          type: 'RESERVATION_NOT_FOUND',
          message: 'Reservation not found',
          path: '/reservation_id',
          value: '55191',
          hint: 'Check hotelId and reservation_id',
        },
      ],
    },
  ],
  retrieveReservations: [
    {
      code: '200',
      message: 'Reservations retrieved successfully',
      data: [],
      nextCursor: null,
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
        hotelsPerRequest: 500,
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
}
