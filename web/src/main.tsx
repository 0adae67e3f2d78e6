import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './look/base.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError } from './api.ts'
import { schemeManager, styleNonce, shareStyleNonce, theme, themeVariables } from './look/theme.ts'
import { router } from './routes.tsx'
import { startTexts } from './text/en.ts'

const triesMax = 2
/** Until a read succeeds that may: nobody has to ask again by hand after a restart of the service. */
const againEveryMs = 5_000
const freshMs = 10_000

/** Without a session, asks people to sign in and then returns to the same page. */
function askToSignIn(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 401) return
  const { pathname, searchStr } = router.state.location
  if (pathname === '/sign-in') return
  queries.clear()
  void router.navigate({ to: '/sign-in', search: { to: `${pathname}${searchStr}` } })
}

const queries = new QueryClient({
  queryCache: new QueryCache({ onError: askToSignIn }),
  mutationCache: new MutationCache({ onError: askToSignIn }),
  defaultOptions: {
    queries: {
      staleTime: freshMs,
      // Repeating a wrong request doesn't help.
      retry: (failures, error) => failures < triesMax && (!(error instanceof ApiError) || error.mayPass),
      refetchInterval: ({ state: { error } }) =>
        error instanceof ApiError && error.mayPass ? againEveryMs : false,
    },
  },
})

function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={themeVariables}
      colorSchemeManager={schemeManager}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <QueryClientProvider client={queries}>
        <Notifications position="bottom-right" />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  )
}

shareStyleNonce()
startTexts()
const element = document.getElementById('app')
if (element) {
  createRoot(element).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
