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
