import { sessionRoutes } from './session-contract.ts'

/** Every route of the console's own API, below /console/api. */
export const consoleRoutes = {
  ...sessionRoutes,
}

export type ConsoleRouteName = keyof typeof consoleRoutes
