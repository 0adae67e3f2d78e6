/**
 * The room types that the service ships with; operators may add more. A product's `roomType` is one of these
 * names. A type names the kind of unit; any further grade, view or beds belong in the product's `roomName`
 * ("Deluxe Double Room with Sea View" is a `Double`). Names are stable, because stored products refer to
 * them.
 */
export const roomTypes = [
  // Hotel rooms by beds or number of guests.
  { name: 'Single', description: 'Room for one guest with one bed' },
  { name: 'Double', description: 'Room for two guests with one large bed' },
  { name: 'Twin', description: 'Room for two guests with two separate beds' },
  { name: 'Double or Twin', description: 'Room for two guests, made up with one large bed or two beds' },
  { name: 'Double for Single Use', description: 'Double room sold to one guest' },
  { name: 'Queen', description: 'Room with one queen-size bed' },
  { name: 'King', description: 'Room with one king-size bed' },
  { name: 'Double Queen', description: 'Room with two queen-size beds' },
  { name: 'Double King', description: 'Room with two king-size beds' },
  { name: 'Double Double', description: 'Room with two double beds' },
  { name: 'Triple', description: 'Room for three guests' },
  { name: 'Quad', description: 'Room for four guests' },
  { name: 'Quintuple', description: 'Room for five guests' },
  { name: 'Sextuple', description: 'Room for six guests' },
  { name: 'Family', description: 'Room laid out for parents with children' },
  { name: 'Connecting Rooms', description: 'Two or more rooms joined by an inner door, sold together' },
  { name: 'Accessible', description: 'Room equipped for guests with reduced mobility' },
  { name: 'Japanese-Style Room', description: 'Room with tatami floor and futon bedding' },

  // Hotel rooms sold by grade alone, without specific beds.
  { name: 'Run of House', description: 'Any room of the property, assigned at arrival' },
  { name: 'Economy', description: 'Room of the simplest grade, beds as available' },
  { name: 'Standard', description: 'Room of the basic grade, beds as available' },
  { name: 'Comfort', description: 'Room a little above the basic grade, beds as available' },
  { name: 'Superior', description: 'Room above the basic grade, beds as available' },
  { name: 'Deluxe', description: 'Room of a high grade, beds as available' },
  { name: 'Premium', description: 'Room of a very high grade, beds as available' },
  { name: 'Executive', description: 'Room for business travellers, beds as available' },
  { name: 'Club', description: 'Room with access to a club lounge, beds as available' },

  // Suites.
  { name: 'Junior Suite', description: 'Large room with a sitting area that is not a room of its own' },
  { name: 'Suite', description: 'Unit with a living room apart from the bedroom' },
  { name: 'Family Suite', description: 'Suite laid out for parents with children' },
  { name: 'Executive Suite', description: 'Suite with space or equipment for work' },
  { name: 'Honeymoon Suite', description: 'Suite for couples' },
  { name: 'Presidential Suite', description: 'The largest or finest suite of the property' },
  { name: 'Royal Suite', description: 'Suite of the highest grade, beside or above the presidential suite' },
  { name: 'Penthouse', description: 'Suite or apartment on the top floor' },

  // Units with a kitchen, and units on several levels.
  { name: 'Studio', description: 'One room with kitchen or kitchenette' },
  { name: 'Apartment', description: 'Separate unit with kitchen and bathroom, any number of bedrooms' },
  { name: 'One-Bedroom Apartment', description: 'Apartment with one bedroom' },
  { name: 'Two-Bedroom Apartment', description: 'Apartment with two bedrooms' },
  { name: 'Three-Bedroom Apartment', description: 'Apartment with three bedrooms' },
  { name: 'Four-Bedroom Apartment', description: 'Apartment with four bedrooms' },
  { name: 'Condominium', description: 'Privately owned apartment let as a holiday unit' },
  { name: 'Loft', description: 'Open unit with high ceiling, usually with a gallery' },
  { name: 'Duplex', description: 'Unit on two levels' },
  { name: 'Maisonette', description: 'Unit on two levels with an entrance of its own' },
  { name: 'Townhouse', description: 'House in a row, on two or more levels' },

  // Houses and other detached units.
  { name: 'Villa', description: 'Detached house of a high grade' },
  { name: 'Beach Villa', description: 'Villa at the beach' },
  { name: 'Overwater Villa', description: 'Villa built over the water' },
  { name: 'Pool Villa', description: 'Villa with a pool of its own' },
  { name: 'Bungalow', description: 'Detached or semi-detached unit on one level' },
  { name: 'Beach Bungalow', description: 'Bungalow at the beach' },
  { name: 'Overwater Bungalow', description: 'Bungalow built over the water' },
  { name: 'Holiday Home', description: 'Whole house let to one party' },
  { name: 'Cottage', description: 'Small house, usually in the country' },
  { name: 'Farmhouse', description: 'House on a working or former farm' },
  { name: 'Chalet', description: 'Wooden house, usually in the mountains' },
  { name: 'Cabin', description: 'Simple small house, usually of wood' },
  { name: 'Lodge', description: 'House or hut in a park, reserve or resort' },
  { name: 'Treehouse', description: 'Unit built among or on trees' },
  { name: 'Riad', description: 'Moroccan house around an inner courtyard, let whole' },

  // Camp sites and boats.
  { name: 'Mobile Home', description: 'Prefabricated unit on a camp site or holiday park' },
  { name: 'Caravan', description: 'Caravan or trailer that stands on the site' },
  { name: 'Tent', description: 'Tent that stands on the site, with beds' },
  { name: 'Luxury Tent', description: 'Tent furnished like a hotel room' },
  { name: 'Yurt', description: 'Round tent with a wooden frame' },
  { name: 'Pitch', description: "Place for the guests' own tent, caravan or motorhome" },
  { name: 'Boat', description: 'Boat or houseboat let whole' },
  { name: 'Boat Cabin', description: 'Cabin on a boat or ship' },

  // Beds in shared rooms.
  { name: 'Dormitory Bed', description: 'One bed in a shared room' },
  { name: 'Female Dormitory Bed', description: 'One bed in a shared room for women' },
  { name: 'Male Dormitory Bed', description: 'One bed in a shared room for men' },
  { name: 'Dormitory Room', description: 'Whole dormitory let to one party' },
  { name: 'Capsule', description: 'Sleeping pod for one or two guests' },

  { name: 'Day Room', description: 'Room for use by day, without a night' },
  { name: 'Other', description: 'Unit of a kind that this list does not name' },
] as const satisfies readonly { name: string; description: string }[]

/**
 * The meal plans that the service ships with; operators may add more. A product's `mealPlan` is one of these
 * codes. Several codes may mean the same meals (RO and EP, HB and MAP), because suppliers use one or the
 * other. Codes are stable, because stored products refer to them.
 */
export const mealPlans = [
  // No meals.
  { code: 'RO', name: 'Room only', description: 'No meals' },
  { code: 'EP', name: 'European plan', description: 'No meals' },
  { code: 'SC', name: 'Self-catering', description: 'No meals; the unit has a kitchen or kitchenette' },

  // Breakfast.
  { code: 'BB', name: 'Bed and breakfast', description: 'Breakfast of any kind' },
  { code: 'CB', name: 'Continental breakfast', description: 'Cold breakfast: bread, spreads, hot drinks' },
  { code: 'CP', name: 'Continental plan', description: 'Continental breakfast' },
  { code: 'BP', name: 'Bermuda plan', description: 'Full cooked breakfast' },
  { code: 'AB', name: 'American breakfast', description: 'Cooked breakfast in the American style' },
  { code: 'EB', name: 'English breakfast', description: 'Cooked breakfast in the English style' },
  { code: 'BU', name: 'Buffet breakfast', description: 'Breakfast from a buffet' },
  { code: 'LB', name: 'Light breakfast', description: 'Small breakfast' },

  // One meal other than breakfast, or two.
  { code: 'LU', name: 'Lunch', description: 'Lunch only' },
  { code: 'DN', name: 'Dinner', description: 'Dinner only' },
  { code: 'BL', name: 'Breakfast and lunch', description: 'Breakfast and lunch' },
  { code: 'LD', name: 'Lunch and dinner', description: 'Lunch and dinner' },
  { code: 'HB', name: 'Half board', description: 'Breakfast and one main meal, usually dinner; no drinks' },
  { code: 'HB+', name: 'Half board plus', description: 'Half board with drinks at the main meal' },
  { code: 'MAP', name: 'Modified American plan', description: 'Breakfast and one main meal, usually dinner' },
  { code: 'DBB', name: 'Dinner, bed and breakfast', description: 'Breakfast and dinner' },

  // All meals.
  { code: 'FB', name: 'Full board', description: 'Breakfast, lunch and dinner; no drinks' },
  { code: 'FB+', name: 'Full board plus', description: 'Full board with drinks at lunch and dinner' },
  { code: 'AP', name: 'American plan', description: 'Breakfast, lunch and dinner' },

  // All meals and drinks through the day.
  {
    code: 'AIL',
    name: 'All inclusive light',
    description: 'All meals; soft drinks, sometimes beer and wine',
  },
  { code: 'AI', name: 'All inclusive', description: 'All meals, snacks and local drinks at the hours set' },
  { code: 'AI+', name: 'All inclusive plus', description: 'All inclusive with longer hours or more drinks' },
  {
    code: 'PAI',
    name: 'Premium all inclusive',
    description: 'All inclusive with branded and imported drinks and à la carte restaurants',
  },
  {
    code: 'UAI',
    name: 'Ultra all inclusive',
    description: 'All meals, snacks, local and imported drinks at any hour',
  },
] as const satisfies readonly { code: string; name: string; description: string }[]
