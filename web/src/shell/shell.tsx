import { ActionIcon, AppShell, Burger, Group, Kbd, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { Navigate, Outlet, useLocation, useRouterState } from '@tanstack/react-router'
import { FlaskConical, Radio, Search } from 'lucide-react'
import { Suspense, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { keepCsrfToken, useApi } from '../api.ts'
import { RequiredSecondFactor } from '../pages/sign-in/second-factor.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Mark } from '../parts/mark.tsx'
import { HomeButton } from '../parts/link-to.tsx'
import { Page, PageWait } from '../parts/page.tsx'
import { Session } from '../parts/session.tsx'
import { isForOperators, Menu } from './menu.tsx'
import { SearchBox } from './search-box.tsx'
import classes from './shell.module.css'
import { UpgradeNote } from './upgrade-note.tsx'
import { UserMenu, useSignOut } from './user-menu.tsx'

const contentId = 'content'

/** In their place people of a supplier get the page of their supplier. */
const pagesOfOperators = ['/', '/suppliers']

/** The frame of every page but the sign-in: menu, search, who is signed in and where. */
export function Shell() {
  const { t } = useTranslation()
  const { data: me, error, refetch } = useApi('whoAmI')
  const [isMenuOpen, menu] = useDisclosure(false)
  const [isSearching, search] = useDisclosure(false)
  useHotkeys([['mod+K', search.open]], [])
  const { pathname } = useLocation()
  useContentFocus(pathname, menu.close)
  const signOut = useSignOut()
  useEffect(() => keepCsrfToken(me?.csrfToken), [me])

  // Whoever is at work keeps the page while the service restarts.
  if (!me)
    return error && error.status !== 401 ? (
      <ErrorNote error={error} onRetry={() => void refetch()} />
    ) : (
      <PageWait />
    )
  if (me.secondFactor.mustSetUp) return <RequiredSecondFactor onSignOut={signOut} />
  return (
    <Session value={me}>
      <a href={`#${contentId}`} className={classes['skip']}>
        {t('shell.skip')}
      </a>
      <AppShell
        navbar={{ width: 240, breakpoint: 'md', collapsed: { mobile: !isMenuOpen } }}
        header={{ height: { base: 48, md: 0 } }}
        padding={0}
      >
        <AppShell.Header className={classes['header']} hiddenFrom="md">
          <Burger
            opened={isMenuOpen}
            onClick={menu.toggle}
            size="sm"
            aria-label={isMenuOpen ? t('shell.closeMenu') : t('shell.openMenu')}
            aria-expanded={isMenuOpen}
          />
          <Brand />
          <EnvironmentBadge environment={me.environment} />
          {me.supplier === null && (
            <ActionIcon ml="auto" size="lg" aria-label={t('shell.search.open')} onClick={search.open}>
              <Search size={18} aria-hidden />
            </ActionIcon>
          )}
        </AppShell.Header>
        <AppShell.Navbar className={classes['navbar']} withBorder>
          <Group className={classes['brand']} justify="space-between" wrap="nowrap" visibleFrom="md">
            <Brand />
            <EnvironmentBadge environment={me.environment} />
          </Group>
          {me.supplier === null && (
            <UnstyledButton className={classes['search']} onClick={search.open}>
              <Search size={14} aria-hidden />
              <span>{t('shell.search.open')}</span>
              <Kbd className={classes['keys']} aria-hidden>
                {t('shell.search.keys')}
              </Kbd>
            </UnstyledButton>
          )}
          <Menu environment={me.environment} role={me.role} isOfSupplier={me.supplier !== null} />
          <UserMenu me={me} />
        </AppShell.Navbar>
        <AppShell.Main id={contentId} tabIndex={-1} className={classes['main']}>
          <div className={classes['page']}>
            <UpgradeNote />
            <Suspense fallback={<PageWait />}>
              {me.supplier === null ? <Outlet /> : <PageOfSupplier supplierId={me.supplier.supplierId} />}
            </Suspense>
          </div>
        </AppShell.Main>
      </AppShell>
      {me.supplier === null && <SearchBox isOpen={isSearching} onClose={search.close} />}
    </Session>
  )
}

function PageOfSupplier({ supplierId }: { supplierId: number }) {
  const { pathname } = useLocation()
  const shown = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  if (pagesOfOperators.includes(pathname))
    return <Navigate to="/suppliers/$supplierId" params={{ supplierId: String(supplierId) }} replace />
  if (isForOperators(pathname)) return <OperatorsPage />
  // Until the page that follows is loaded, the outlet has the one before.
  return shown !== undefined && pagesOfOperators.includes(shown) ? <PageWait /> : <Outlet />
}

/** A link of an operator that somebody of a supplier got, or an address that was typed. */
function OperatorsPage() {
  const { t } = useTranslation()
  return (
    <Page title={t('shell.forOperatorsTitle')}>
      <Text mb="md">{t('shell.forOperatorsHint')}</Text>
      <HomeButton />
    </Page>
  )
}

/** Whoever follows a link by keyboard or screen reader starts on the new page, not at the menu. */
function useContentFocus(pathname: string, onPage: () => void): void {
  const lastPath = useRef(pathname)
  useEffect(() => {
    if (lastPath.current === pathname) return
    lastPath.current = pathname
    onPage()
    document.getElementById(contentId)?.focus({ preventScroll: true })
  }, [pathname, onPage])
}

function Brand() {
  const { t } = useTranslation()
  return (
    <Group gap={8} wrap="nowrap">
      <Mark size={20} />
      <Text fw={600} size="sm">
        {t('shell.product')}
      </Text>
    </Group>
  )
}

/** Sandbox and production differ in word, colour, form and sign: nobody may take one for the other. */
function EnvironmentBadge({ environment }: { environment: 'sandbox' | 'production' }) {
  const { t } = useTranslation()
  const Icon = environment === 'production' ? Radio : FlaskConical
  return (
    <span
      className={classes['badge']}
      data-environment={environment}
      title={t(`shell.environmentHint.${environment}`)}
    >
      <Icon size={12} aria-hidden />
      {t(`shell.environment.${environment}`)}
    </span>
  )
}
