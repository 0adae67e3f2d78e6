import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useLocation, useSearch } from '@tanstack/react-router'
import { Bookmark, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { storageName } from '../address.ts'
import { LinkTo } from './link-to.tsx'

type View = { path: string; name: string; search: Record<string, string> }

const viewsMax = 50
const nameLengthMax = 60

/** Filters under a name, kept in this browser: each is a link to the list as it was filtered. */
export function SavedViews() {
  const { t } = useTranslation()
  const { pathname } = useLocation()
  const search: Readonly<Record<string, string | undefined>> = useSearch({ strict: false })
  const [stored, setViews] = useLocalStorage<View[]>({
    key: storageName('views'),
    defaultValue: [],
  })
  const views = Array.isArray(stored) ? stored : []
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const here = views.filter(({ path }) => path === pathname)
  const set = Object.fromEntries(
    Object.entries(search).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  const others = (without: string) => views.filter((view) => view.path !== pathname || view.name !== without)
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" withinPortal={false} trapFocus>
      <Popover.Target>
        <Button
          variant="subtle"
          leftSection={<Bookmark size={14} aria-hidden />}
          onClick={() => setOpen(!isOpen)}
        >
          {t('parts.views')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('parts.views')}>
        <Stack gap="xs" miw={220}>
          {here.length === 0 && (
            <Text size="xs" c="dimmed">
              {t('parts.noViews')}
            </Text>
          )}
          {here.map((view) => (
            <Group key={view.name} justify="space-between" wrap="nowrap" gap="xs">
              <LinkTo to="." search={view.search} fz="sm" onClick={() => setOpen(false)}>
                {view.name}
              </LinkTo>
              <ActionIcon
                size="sm"
                aria-label={t('parts.forgetView', { name: view.name })}
                onClick={() => setViews(others(view.name))}
              >
                <X size={14} aria-hidden />
              </ActionIcon>
            </Group>
          ))}
          <form
            onSubmit={(event) => {
              event.preventDefault()
              const given = name.trim()
              if (given === '') return
              setViews([...others(given), { path: pathname, name: given, search: set }].slice(-viewsMax))
              setName('')
            }}
          >
            <Group gap="xs" align="flex-end" wrap="nowrap">
              <TextInput
                label={t('parts.saveView')}
                placeholder={t('parts.viewName')}
                maxLength={nameLengthMax}
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
              />
              <Button type="submit" variant="default">
                {t('parts.save')}
              </Button>
            </Group>
          </form>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
