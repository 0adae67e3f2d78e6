import { Button, Text } from '@mantine/core'
import { lazyRouteComponent } from '@tanstack/react-router'
import { type ComponentType, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { storageName } from '../address.ts'
import { Page } from '../parts/page.tsx'
import { isServed } from './served-build.ts'

/**
 * A page that is fetched when somebody goes there. If that fails, because the service restarts or another build has taken
 * the place of this one, the console is loaded again as soon as the service answers: browsers remember a script that could
 * not be fetched, and of another build the script has another name.
 */
export function lazyPage<Name extends string>(
  fetchPage: () => Promise<Readonly<Record<Name, ComponentType>>>,
  name: Name,
) {
  return lazyRouteComponent(() =>
    fetchPage().then(
      (module) => ({ default: module[name] }),
      () => ({ default: LostPage }),
    ),
  )
}

const lookEveryMs = 2_000
/** A page that fails whenever it is loaded must not be loaded without end. */
const againAfterMs = 30_000
const lastReloadItem = storageName('lost-page-reloaded-at')

function LostPage() {
  const { t } = useTranslation()
  const [wasTried] = useState(
    () => Date.now() - Number(sessionStorage.getItem(lastReloadItem)) < againAfterMs,
  )
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    let isLeft = false
    const look = async (): Promise<void> => {
      const isThere = await isServed()
      if (isLeft) return
      if (isThere) reload()
      else timer = setTimeout(() => void look(), lookEveryMs)
    }
    timer = setTimeout(() => void look(), wasTried ? againAfterMs : 0)
    return () => {
      isLeft = true
      clearTimeout(timer)
    }
  }, [wasTried])
  return (
    <Page title={t('shell.lost.title')}>
      <Text role="status" mb="md">
        {t(wasTried ? 'shell.lost.again' : 'shell.lost.hint')}
      </Text>
      <Button variant="default" onClick={reload}>
        {t('parts.reload')}
      </Button>
    </Page>
  )
}

function reload(): void {
  sessionStorage.setItem(lastReloadItem, String(Date.now()))
  window.location.reload()
}
