import { Loader, Modal, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'
import { Activity, Building2, Hotel, type LucideIcon, Search, Tickets } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SearchResult } from '../../../src/console/search/contract.ts'
import { useApi } from '../api.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Ago, Day } from '../parts/time.tsx'
import classes from './shell.module.css'

const typingMs = 150

/** From wherever somebody is to the hotel, supplier, reservation or push that they name. */
export function SearchBox({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <Modal.Root opened={isOpen} onClose={onClose} yOffset="12vh" size="lg">
      <Modal.Overlay backgroundOpacity={0.4} />
      <Modal.Content aria-label={t('shell.search.title')}>
        {/* Begins anew each time. */}
        {isOpen && <SearchForm onClose={onClose} />}
      </Modal.Content>
    </Modal.Root>
  )
}

function SearchForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const router = useRouter()
  const id = useId()
  const [typed, setTyped] = useState('')
  const [text] = useDebouncedValue(typed.trim(), typingMs)
  const [chosen, setChosen] = useState(0)
  const [isHasty, setHasty] = useState(false)
  const { data, error, isFetching, isPlaceholderData } = useApi(
    'search',
    { query: { text } },
    { enabled: text !== '', keepPrevious: true },
  )
  const found = text === '' ? [] : (data?.found ?? [])
  const [first] = found
  const at = Math.min(chosen, found.length - 1)
  /** As long as somebody types, what is shown is what was asked for before. */
  const isCurrent = text !== '' && text === typed.trim() && !isPlaceholderData && !isFetching
  const optionId = (index: number): string => `${id}-${index}`

  const go = (one: SearchResult): void => {
    onClose()
    void router.navigate(linkOfResult(one))
  }
  // Whoever was quicker with Enter than the service with its answer goes to the first that it names.
  useEffect(() => {
    if (!isHasty || !isCurrent || !first) return
    onClose()
    void router.navigate(linkOfResult(first))
  }, [isHasty, isCurrent, first, onClose, router])
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      if (found.length > 0) setChosen((at + step + found.length) % found.length)
    }
    const one = found[at]
    if (event.key !== 'Enter') return
    if (!isCurrent) setHasty(true)
    else if (one) go(one)
  }
  return (
    <div className={classes['box']}>
      <TextInput
        data-autofocus
        variant="unstyled"
        size="md"
        className={classes['input']}
        role="combobox"
        aria-expanded={found.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? optionId(at) : undefined}
        aria-label={t('shell.search.label')}
        placeholder={t('shell.search.placeholder')}
        leftSection={<Search size={16} aria-hidden />}
        rightSection={isFetching && <Loader size="xs" />}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          setChosen(0)
          setHasty(false)
        }}
        onKeyDown={onKeyDown}
      />
      <div className={classes['below']}>
        {error && <ErrorNote error={error} />}
        <div role="listbox" id={`${id}-list`} aria-label={t('shell.search.title')}>
          {found.map((one, index) => (
            <SearchResultLine
              key={optionId(index)}
              id={optionId(index)}
              found={one}
              isChosen={index === at}
              onChoose={() => setChosen(index)}
              onGo={() => go(one)}
            />
          ))}
        </div>
        <p className={classes['status']} role="status">
          {text === ''
            ? t('shell.search.begin')
            : found.length > 0
              ? t('shell.search.found', { count: found.length })
              : data && !isFetching && t('shell.search.none', { text })}
        </p>
      </div>
    </div>
  )
}

const iconByKind: Readonly<Record<SearchResult['kind'], LucideIcon>> = {
  hotel: Hotel,
  supplier: Building2,
  reservation: Tickets,
  push: Activity,
}

function linkOfResult(found: SearchResult) {
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
function SearchResultLine({
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
        <span className={classes['foundName']}>{mainText(found)}</span>
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
