import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core'
import { useLocation, useSearch } from '@tanstack/react-router'
import { Bookmark, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApi, useChange } from '../../api.ts'
import { ErrorNote } from '../error-note.tsx'
import { LinkTo } from '../link-to.tsx'

const nameLengthMax = 60

/** Filters under a name, everybody's own: each is a link to the list as it was filtered. */
export function SavedViews() {
  const { t } = useTranslation()
  const { pathname } = useLocation()
  const search: Readonly<Record<string, string | undefined>> = useSearch({ strict: false })
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const { data, error } = useApi('listViews', {}, { enabled: isOpen })
  const save = useChange('saveView', { invalidates: ['listViews'] })
  const remove = useChange('removeView', { invalidates: ['listViews'] })
  const problem = error ?? save.error ?? remove.error
  const here = (data?.views ?? []).filter(({ path }) => path === pathname)
  const set = Object.entries(search).filter((entry): entry is [string, string] => entry[1] !== undefined)
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
      <Popover.Dropdown aria-label={t('parts.views')} maw="min(24rem, calc(100vw - 2rem))">
        <Stack gap="xs" miw={220}>
          {problem && <ErrorNote error={problem} />}
          {data && here.length === 0 && (
            <Text size="xs" c="dimmed">
              {t('parts.noViews')}
            </Text>
          )}
          {here.map((view) => (
            <Group key={view.name} justify="space-between" wrap="nowrap" gap="xs">
              <LinkTo
                to="."
                search={Object.fromEntries(new URLSearchParams(view.query))}
                fz="sm"
                style={{ overflowWrap: 'anywhere' }}
                onClick={() => setOpen(false)}
              >
                {view.name}
              </LinkTo>
              <ActionIcon
                size="sm"
                aria-label={t('parts.forgetView', { name: view.name })}
                onClick={() => remove.mutate({ body: { path: pathname, name: view.name } })}
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
              const query = new URLSearchParams(set).toString()
              save.mutate(
                { body: { path: pathname, name: given, ...(query === '' ? {} : { query }) } },
                { onSuccess: () => setName('') },
              )
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
