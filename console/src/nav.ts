import {
  Activity,
  BadgePercent,
  BookOpen,
  Building2,
  FlaskConical,
  Hotel,
  LayoutDashboard,
  ScrollText,
  Send,
  Tickets,
  UserCog,
} from 'lucide-react'

/** The items of the menu, by group; labels are in text/en/shell.ts. */
export const navGroups = [
  { group: 'now', items: [{ name: 'overview', to: '/', icon: LayoutDashboard }] },
  {
    group: 'supply',
    items: [
      { name: 'suppliers', to: '/suppliers', icon: Building2 },
      { name: 'hotels', to: '/hotels', icon: Hotel },
      { name: 'pushes', to: '/pushes', icon: Activity },
    ],
  },
  {
    group: 'booking',
    items: [
      { name: 'reservations', to: '/reservations', icon: Tickets },
      { name: 'deliveries', to: '/deliveries', icon: Send },
      { name: 'priceChecks', to: '/price-checks', icon: BadgePercent },
    ],
  },
  {
    group: 'setup',
    items: [
      { name: 'reference', to: '/reference', icon: BookOpen },
      { name: 'sandbox', to: '/sandbox', icon: FlaskConical, isSandboxOnly: true },
      { name: 'operators', to: '/operators', icon: UserCog, isForAdmins: true },
      { name: 'audit', to: '/audit', icon: ScrollText },
    ],
  },
] as const

export type NavGroup = (typeof navGroups)[number]
export type NavItem = NavGroup['items'][number]
