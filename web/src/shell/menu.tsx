import { Link } from '@tanstack/react-router'
import {
  Activity,
  BadgePercent,
  BellRing,
  BookOpen,
  Building2,
  CalendarRange,
  ChartColumn,
  FlaskConical,
  Hand,
  Hotel,
  LayoutDashboard,
  OctagonX,
  ScrollText,
  Send,
  Tickets,
  UserCog,
} from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { OperatorRole } from '../../../src/http/route.ts'
import classes from './shell.module.css'

type Viewer = { environment: 'sandbox' | 'production'; role: OperatorRole; isOfSupplier?: boolean }

/** The pages, by group. */
export function Menu(viewer: Viewer) {
  const { t } = useTranslation()
  return (
    <nav aria-label={t('shell.mainMenu')} className={classes['menu']}>
      {navGroups
        .map(({ group, items }) => ({ group, items: items.filter((item) => isFor(item, viewer)) }))
        .filter(({ items }) => items.length > 0)
        .map(({ group, items }) => (
          <section key={group} aria-label={t(`shell.group.${group}`)}>
            {group !== 'now' && (
              <div className={classes['group']} aria-hidden>
                {t(`shell.group.${group}`)}
              </div>
            )}
            <ul className={classes['items']}>
              {items.map(({ name, to, icon: Icon }) => (
                <li key={name}>
                  <Link
                    to={to}
                    className={classes['item']}
                    activeOptions={{ exact: to === '/', includeSearch: false }}
                  >
                    <Icon size={16} strokeWidth={1.75} aria-hidden />
                    {t(`shell.nav.${viewer.isOfSupplier && name === 'suppliers' ? 'account' : name}`)}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
    </nav>
  )
}

/** Whether people of a supplier may not see the page at all. */
export function isForOperators(pathname: string): boolean {
  return navGroups.some(({ items }) =>
    items.some((item) => item.to === pathname && !('isForSuppliers' in item)),
  )
}

/** Every page of the menu that somebody may see. */
export function pagesFor(viewer: Viewer): NavItem[] {
  return navGroups.flatMap(({ items }) => items.filter((item) => isFor(item, viewer)))
}

function isFor(item: NavItem, { environment, role, isOfSupplier }: Viewer): boolean {
  if ('isSandboxOnly' in item && environment !== 'sandbox') return false
  if (isOfSupplier) return 'isForSuppliers' in item
  return !('isForAdmins' in item) || role === 'admin'
}

/** The items of the menu, by group; labels are in text/en/shell.ts. */
const navGroups = [
  {
    group: 'now',
    items: [
      { name: 'overview', to: '/', icon: LayoutDashboard },
      { name: 'alerts', to: '/alerts', icon: BellRing },
      { name: 'holds', to: '/holds', icon: Hand },
      { name: 'stopSells', to: '/stop-sells', icon: OctagonX },
    ],
  },
  {
    group: 'supply',
    items: [
      { name: 'suppliers', to: '/suppliers', icon: Building2, isForSuppliers: true },
      { name: 'hotels', to: '/hotels', icon: Hotel, isForSuppliers: true },
      { name: 'calendars', to: '/calendars', icon: CalendarRange, isForSuppliers: true },
      { name: 'pushes', to: '/pushes', icon: Activity, isForSuppliers: true },
    ],
  },
  {
    group: 'booking',
    items: [
      { name: 'reservations', to: '/reservations', icon: Tickets, isForSuppliers: true },
      { name: 'numbers', to: '/numbers', icon: ChartColumn, isForSuppliers: true },
      { name: 'deliveries', to: '/deliveries', icon: Send, isForSuppliers: true },
      { name: 'priceChecks', to: '/price-checks', icon: BadgePercent, isForSuppliers: true },
    ],
  },
  {
    group: 'setup',
    items: [
      { name: 'reference', to: '/reference', icon: BookOpen },
      { name: 'sandbox', to: '/sandbox', icon: FlaskConical, isSandboxOnly: true, isForSuppliers: true },
      { name: 'operators', to: '/operators', icon: UserCog, isForAdmins: true },
      { name: 'audit', to: '/audit', icon: ScrollText },
    ],
  },
] as const

type NavGroup = (typeof navGroups)[number]
export type NavItem = NavGroup['items'][number]
