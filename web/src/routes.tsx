import { Button, Text } from '@mantine/core'
import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Outlet,
} from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { consolePath } from './address.ts'
import { ErrorNote } from './parts/error-note.tsx'
import { HomeButton } from './parts/link-to.tsx'
import { Page, PageWait } from './parts/page.tsx'
import { lazyPage } from './shell/lost-page.tsx'
import { Shell } from './shell/shell.tsx'

/** Everything in the search is text, so that whoever reads a URL sees what a page sees. */
type Search = { readonly [name: string]: string | undefined }

const root = createRootRoute({
  component: Outlet,
  validateSearch: (search: Record<string, unknown>): Search =>
    Object.fromEntries(
      Object.entries(search).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    ),
})
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyPage(() => import('./pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
})
const inside = createRoute({ getParentRoute: () => root, id: 'inside', component: Shell })
const getParentRoute = () => inside

/** Each page is fetched when somebody goes there. */
const pages = [
  createRoute({
    getParentRoute,
    path: '/',
    component: lazyPage(() => import('./pages/overview/overview-page.tsx'), 'OverviewPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/alerts',
    component: lazyPage(() => import('./pages/alerts/alerts-page.tsx'), 'AlertsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/holds',
    component: lazyPage(() => import('./pages/holds/holds-page.tsx'), 'HoldsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/stop-sells',
    component: lazyPage(() => import('./pages/stop-sells/stop-sells-page.tsx'), 'StopSellsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/suppliers',
    component: lazyPage(() => import('./pages/suppliers/suppliers-page.tsx'), 'SuppliersPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/suppliers/$supplierId',
    component: lazyPage(() => import('./pages/suppliers/supplier-page.tsx'), 'SupplierPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/hotels',
    component: lazyPage(() => import('./pages/hotels/hotels-page.tsx'), 'HotelsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/hotels/$hotelId',
    component: lazyPage(() => import('./pages/hotels/hotel-page.tsx'), 'HotelPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/hotels/$hotelId/calendar',
    component: lazyPage(() => import('./pages/calendar/calendar-page.tsx'), 'CalendarPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/calendars',
    component: lazyPage(() => import('./pages/calendar/hotels-page.tsx'), 'CalendarsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/pushes',
    component: lazyPage(() => import('./pages/pushes/pushes-page.tsx'), 'PushesPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/pushes/$pushId',
    component: lazyPage(() => import('./pages/pushes/push-page.tsx'), 'PushPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/reservations',
    component: lazyPage(() => import('./pages/reservations/reservations-page.tsx'), 'ReservationsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/reservations/$reservationId',
    component: lazyPage(() => import('./pages/reservations/reservation-page.tsx'), 'ReservationPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/numbers',
    component: lazyPage(() => import('./pages/numbers/numbers-page.tsx'), 'NumbersPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/deliveries',
    component: lazyPage(() => import('./pages/deliveries/deliveries-page.tsx'), 'DeliveriesPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/price-checks',
    component: lazyPage(() => import('./pages/price-checks/price-checks-page.tsx'), 'PriceChecksPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/reference',
    component: lazyPage(() => import('./pages/reference/reference-page.tsx'), 'ReferencePage'),
  }),
  createRoute({
    getParentRoute,
    path: '/sandbox',
    component: lazyPage(() => import('./pages/sandbox/sandbox-page.tsx'), 'SandboxPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/operators',
    component: lazyPage(() => import('./pages/operators/operators-page.tsx'), 'OperatorsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/audit',
    component: lazyPage(() => import('./pages/operators/audit-page.tsx'), 'AuditPage'),
  }),
  // Whatever isn't a page is said beside the menu, like everything else.
  createRoute({ getParentRoute, path: '/$', component: NotFoundPage }),
] as const
export const router = createRouter({
  routeTree: root.addChildren([signIn, inside.addChildren(pages)]),
  basepath: consolePath,
  defaultPreload: 'intent',
  defaultErrorComponent: PageFault,
  defaultPendingComponent: PageWait,
  defaultNotFoundComponent: NotFoundPage,
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search: Search) => {
    const given = Object.entries(search).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
    )
    return given.length > 0 ? `?${new URLSearchParams(given).toString()}` : ''
  },
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

/** Replaces a page that failed to render; the rest of the console keeps working. */
function PageFault({ error }: ErrorComponentProps) {
  const { t } = useTranslation()
  return (
    <Page title={t('parts.pageFailed')}>
      <ErrorNote error={error} onRetry={() => void router.invalidate()} />
      <Button mt="md" variant="default" onClick={() => window.location.reload()}>
        {t('parts.reload')}
      </Button>
    </Page>
  )
}

function NotFoundPage() {
  const { t } = useTranslation()
  return (
    <Page title={t('shell.notFoundTitle')}>
      <Text mb="md">{t('shell.notFoundHint')}</Text>
      <HomeButton />
    </Page>
  )
}
