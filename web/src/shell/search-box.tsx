import { Anchor, Loader, Modal, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'
import { Activity, Building2, Hotel, KeyRound, type LucideIcon, Search, Tickets, Zap } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { FoundKey, SearchResult } from '../../../src/console-api/search/contract.ts'
import { pathPrefix } from '../address.ts'
import { useApi } from '../api.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { useMe } from '../parts/session.tsx'
import { Ago, Day } from '../parts/values/time.tsx'
import { readVisits } from '../parts/visits.ts'
import { type Command, commandsFor, readTyped } from './commands.ts'
import { FoundKeyDialog } from './found-key.tsx'
import { PastedSecret, maybeSecret } from './pasted-secret.tsx'
import classes from './shell.module.css'

const typingMs = 150

/** From wherever somebody is to a page, to what they name, and to what can be done with it. */
export function SearchBox({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation()
  const [key, setKey] = useState<FoundKey>()
  const openKey = useCallback(
    (found: FoundKey) => {
      onClose()
      setKey(found)
    },
    [onClose],
  )
  if (key) return <FoundKeyDialog found={key} onClose={() => setKey(undefined)} />
  return (
    <Modal.Root opened={isOpen} onClose={onClose} yOffset="12vh" size="lg">
      <Modal.Overlay backgroundOpacity={0.4} />
      <Modal.Content aria-label={t('shell.search.title')}>
        {/* Begins anew each time. */}
        {isOpen && <SearchForm onClose={onClose} onKey={openKey} />}
      </Modal.Content>
    </Modal.Root>
  )
}

function SearchForm({ onClose, onKey }: { onClose: () => void; onKey: (found: FoundKey) => void }) {
  const { t } = useTranslation()
  const { environment, role } = useMe()
  const router = useRouter()
  const id = useId()
  const [entered, setTyped] = useState('')
  // What may be a secret is looked up otherwise: this search is in an address.
  const isSecret = maybeSecret(entered)
  const typed = isSecret ? '' : entered
  const [text] = useDebouncedValue(typed.trim(), typingMs)
  const [chosen, setChosen] = useState(0)
  const [isHasty, setHasty] = useState(false)
  const [visits] = useState(readVisits)
  const { search } = readTyped(text)
  const { data, error, isFetching, isPlaceholderData } = useApi(
    'search',
    { query: { text: search } },
    { enabled: search !== '', keepPrevious: true },
  )
  const found = text === '' ? [] : (data?.found ?? [])
  const isWaiting = text === '' && typed.trim() !== ''
  const commands = isWaiting || isSecret ? [] : commandsFor(t, text, found, visits, { environment, role })
  const [first] = commands
  const at = Math.min(chosen, commands.length - 1)
  /** As long as somebody types, what is shown is what was asked for before. */
  const isCurrent = text === typed.trim() && (text === '' || (!isPlaceholderData && !isFetching))
  const isNone = text !== '' && commands.length === 0 && data !== undefined && isCurrent
  const optionId = (index: number): string => `${id}-${index}`

  const go = useCallback(
    (command: Command): void => {
      if (command.kind === 'found' && command.found.kind === 'key') return onKey(command.found)
      onClose()
      void router.navigate({ to: command.target.path, search: command.target.search ?? {} })
    },
    [onClose, onKey, router],
  )
  // Whoever was quicker with Enter than the service with its answer goes to the first that it names.
  useEffect(() => {
    if (isHasty && isCurrent && text !== '' && first) go(first)
  }, [isHasty, isCurrent, text, first, go])
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      if (commands.length > 0) setChosen((at + step + commands.length) % commands.length)
    }
    const one = commands[at]
    if (event.key !== 'Enter') return
    if (!isCurrent) setHasty(true)
    else if (one) go(one)
  }
  useScrolledTo(optionId(at))
  return (
    <div className={classes['box']}>
      <TextInput
        data-autofocus
        variant="unstyled"
        size="md"
        className={classes['input']}
        role="combobox"
        aria-expanded={commands.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={commands.length > 0 ? optionId(at) : undefined}
        aria-label={t('shell.search.label')}
        placeholder={t('shell.search.placeholder')}
        leftSection={<Search size={16} aria-hidden />}
        rightSection={isFetching && <Loader size="xs" />}
        value={entered}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          setChosen(0)
          setHasty(false)
        }}
        onKeyDown={onKeyDown}
      />
      <div className={classes['below']}>
        {error && <ErrorNote error={error} />}
        {isSecret && <PastedSecret pasted={entered} onKey={onKey} />}
        <div role="listbox" id={`${id}-list`} aria-label={t('shell.search.title')}>
          {commands.map((one, index) => (
            <CommandLine
              key={one.key}
              id={optionId(index)}
              command={one}
              isChosen={index === at}
              onChoose={() => setChosen(index)}
              onGo={() => go(one)}
            />
          ))}
        </div>
        <Status isSecret={isSecret} found={found.length} sought={isNone ? text : undefined} />
      </div>
    </div>
  )
}

const findable = ['hotel', 'supplier', 'reservation', 'push', 'key'] as const

/** What came of it. `sought`: what was not found. */
function Status({
  isSecret,
  found,
  sought,
}: {
  isSecret: boolean
  found: number
  sought: string | undefined
}) {
  const { t } = useTranslation()
  return (
    <>
      <p className={classes['status']} role="status">
        {isSecret && t('shell.search.secret')}
        {found > 0 && t('shell.search.found', { count: found })}
        {sought !== undefined && t('shell.search.none', { text: sought })}
      </p>
      {sought !== undefined && <WayOn text={sought} />}
      <p className={classes['status']}>{t('shell.search.hints')}</p>
    </>
  )
}

/** Where nothing was found: what can be, and the guides. */
function WayOn({ text }: { text: string }) {
  const { t } = useTranslation()
  return (
    <div className={classes['wayOn']}>
      <ul>
        {findable.map((kind) => (
          <li key={kind}>{t(`shell.search.finds.${kind}`)}</li>
        ))}
      </ul>
      <Anchor inherit href={`${pathPrefix}/docs/guides?${new URLSearchParams({ find: text }).toString()}`}>
        {t('shell.search.guides', { text })}
      </Anchor>
    </div>
  )
}

/** Keeps the selected line in sight. */
function useScrolledTo(id: string): void {
  useEffect(() => {
    // A browser may answer with a promise, which is no clean-up.
    document.getElementById(id)?.scrollIntoView({ block: 'nearest' })
  }, [id])
}

const iconByKind: Readonly<Record<SearchResult['kind'], LucideIcon>> = {
  hotel: Hotel,
  supplier: Building2,
  reservation: Tickets,
  push: Activity,
  key: KeyRound,
}

/** Selection by the arrow keys while the text keeps the focus, or by the mouse. */
function CommandLine({
  id,
  command,
  isChosen,
  onChoose,
  onGo,
}: {
  id: string
  command: Command
  isChosen: boolean
  onChoose: () => void
  onGo: () => void
}) {
  const { t } = useTranslation()
  const Icon = iconOf(command)
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
        <span className={classes['foundName']}>
          {command.kind === 'found' ? mainText(command.found) : command.label}
        </span>
        <span className={classes['more']}>
          {command.kind === 'found'
            ? moreText(command.found)
            : command.kind === 'action'
              ? command.more
              : null}
        </span>
      </span>
      <span className={classes['kind']}>
        {t(`shell.search.kind.${command.kind === 'found' ? command.found.kind : command.kind}`)}
      </span>
    </div>
  )
}

const iconByVisit = { hotels: Hotel, suppliers: Building2, reservations: Tickets } as const

function iconOf(command: Command): LucideIcon {
  if (command.kind === 'page') return command.icon
  if (command.kind === 'visit') return iconByVisit[command.of]
  return command.kind === 'action' ? Zap : iconByKind[command.found.kind]
}

function mainText(found: SearchResult): string {
  if (found.kind === 'reservation') return `${found.reservationId} · ${found.guest}`
  if (found.kind === 'key') return `${found.supplier} · ${found.channelManager} · …${found.tail}`
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
    case 'key':
      return <KeyUse found={found} />
  }
}

function KeyUse({ found: { works, status, lastUsedAt } }: { found: FoundKey }) {
  const { t } = useTranslation()
  const state = works || status !== 'active' ? status : 'replaced'
  return (
    <>
      {t(`shell.foundKey.status.${state}`)} · {t('shell.foundKey.lastUsed')} <Ago at={lastUsedAt} />
    </>
  )
}
