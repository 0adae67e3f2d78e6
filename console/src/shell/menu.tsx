import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { OperatorRole } from '../../../src/http/route.ts'
import { navGroups, type NavItem } from '../nav.ts'
import classes from './shell.module.css'

type Viewer = { environment: 'sandbox' | 'production'; role: OperatorRole }

/** The pages, by group. */
export function Menu({ environment, role }: Viewer) {
  const { t } = useTranslation()
  return (
    <nav aria-label={t('shell.mainMenu')} className={classes['menu']}>
      {navGroups.map(({ group, items }) => (
        <section key={group} aria-label={t(`shell.group.${group}`)}>
          {group !== 'now' && (
            <div className={classes['group']} aria-hidden>
              {t(`shell.group.${group}`)}
            </div>
          )}
          <ul className={classes['items']}>
            {items
              .filter((item) => isFor(item, { environment, role }))
              .map(({ name, to, icon: Icon }) => (
                <li key={name}>
                  <Link
                    to={to}
                    className={classes['item']}
                    activeOptions={{ exact: to === '/', includeSearch: false }}
                  >
                    <Icon size={16} strokeWidth={1.75} aria-hidden />
                    {t(`shell.nav.${name}`)}
                  </Link>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}

function isFor(item: NavItem, { environment, role }: Viewer): boolean {
  if ('isSandboxOnly' in item && environment !== 'sandbox') return false
  return !('isForAdmins' in item) || role === 'admin'
}
