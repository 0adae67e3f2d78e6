import { Activity, Building2, Hotel, Tickets, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { SearchResult } from '../../../src/console/search/contract.ts'
import { Ago, Day } from '../parts/time.tsx'
import classes from './search-box.module.css'

const iconByKind: Readonly<Record<SearchResult['kind'], LucideIcon>> = {
  hotel: Hotel,
  supplier: Building2,
  reservation: Tickets,
  push: Activity,
}

export function linkOfResult(found: SearchResult) {
  switch (found.kind) {
    case 'hotel':
      return { to: '/hotels/$hotelId', params: { hotelId: String(found.hotelId) } } as const
    case 'supplier':
      return { to: '/suppliers/$supplierId', params: { supplierId: String(found.supplierId) } } as const
    case 'reservation':
      return {
        to: '/reservations/$reservationId',
        params: { reservationId: String(found.reservationId) },
      } as const
    case 'push':
      return { to: '/pushes/$pushId', params: { pushId: String(found.pushId) } } as const
  }
}

/** Selection by the arrow keys while the text keeps the focus, or by the mouse. */
export function SearchResultLine({
  id,
  found,
  isChosen,
  onChoose,
  onGo,
}: {
  id: string
  found: SearchResult
  isChosen: boolean
  onChoose: () => void
  onGo: () => void
}) {
  const { t } = useTranslation()
  const Icon = iconByKind[found.kind]
  return (
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      className={classes['found']}
      onMouseMove={onChoose}
      onClick={onGo}
      onKeyDown={(event) => event.key === 'Enter' && onGo()}
    >
      <Icon size={15} strokeWidth={1.75} aria-hidden />
      <span className={classes['text']}>
        <span className={classes['main']}>{mainText(found)}</span>
        <span className={classes['more']}>{moreText(found)}</span>
      </span>
      <span className={classes['kind']}>{t(`shell.search.kind.${found.kind}`)}</span>
    </div>
  )
}

function mainText(found: SearchResult): string {
  if (found.kind === 'reservation') return `${found.reservationId} · ${found.guest}`
  return found.kind === 'push' ? found.requestId : found.name
}

function moreText(found: SearchResult): ReactNode {
  switch (found.kind) {
    case 'hotel':
      return [found.code, found.city, found.supplier].filter((part) => part !== null).join(' · ')
    case 'supplier':
      return null
    case 'reservation':
      return (
        <>
          {found.hotelName} · <Day date={found.arrival} />
        </>
      )
    case 'push':
      return (
        <>
          {found.supplier} · {found.outcome} · <Ago at={found.at} />
        </>
      )
  }
}
