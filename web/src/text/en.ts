import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { access } from './en/access.ts'
import { alerts } from './en/alerts.ts'
import { calendar } from './en/calendar.ts'
import { deliveries } from './en/deliveries.ts'
import { guard } from './en/guard.ts'
import { holds } from './en/holds.ts'
import { hotels } from './en/hotels.ts'
import { numbers } from './en/numbers.ts'
import { overview } from './en/overview.ts'
import { parts } from './en/parts.ts'
import { priceChecks } from './en/price-checks.ts'
import { pushes } from './en/pushes.ts'
import { reference } from './en/reference.ts'
import { reservations } from './en/reservations.ts'
import { sandbox } from './en/sandbox.ts'
import { shell } from './en/shell.ts'
import { stopSells } from './en/stop-sells.ts'
import { suppliers } from './en/suppliers.ts'
import { work } from './en/work.ts'

/** Every text of the console in English, an area each. */
const en = {
  shell,
  parts,
  access,
  overview,
  alerts,
  guard,
  holds,
  stopSells,
  work,
  suppliers,
  hotels,
  calendar,
  pushes,
  reservations,
  numbers,
  deliveries,
  priceChecks,
  reference,
  sandbox,
}

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en }
  }
}

export function startTexts(): void {
  void i18next.use(initReactI18next).init({
    lng: 'en',
    resources: { en: { translation: en } },
    // React writes text as text.
    interpolation: { escapeValue: false },
    returnNull: false,
  })
}
