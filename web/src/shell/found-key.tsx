import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { FoundKey } from '../../../src/console-api/search/contract.ts'
import { useChange } from '../api.ts'
import { Code } from '../parts/values/code.tsx'
import { Dialog } from '../parts/dialogs.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { ButtonTo } from '../parts/link-to.tsx'
import { Facts } from '../parts/page.tsx'
import { useMe } from '../parts/session.tsx'
import { Ago, Time } from '../parts/values/time.tsx'

/** A found key, and its revocation in two steps. */
export function FoundKeyDialog({ found, onClose }: { found: FoundKey; onClose: () => void }) {
  const { t } = useTranslation()
  const [isSure, setSure] = useState(false)
  const { role } = useMe()
  const { keyId, supplier, supplierId, status, works } = found
  const revoke = useChange('revokeSupplierKey', { invalidates: ['getSupplier', 'listSuppliers'] })
  const send = (): void =>
    revoke.mutate(
      { params: { keyId } },
      {
        onSuccess: () => {
          notifications.show({ message: t('shell.foundKey.revoked', { keyId, supplier }), color: 'teal' })
          onClose()
        },
      },
    )
  const state = works || status !== 'active' ? status : 'replaced'
  return (
    <Dialog isOpen onClose={onClose} title={t('shell.foundKey.title', { keyId, supplier })}>
      <Stack gap="md">
        <Facts
          facts={[
            [t('shell.foundKey.fact.state'), t(`shell.foundKey.status.${state}`)],
            [t('shell.foundKey.fact.lastUsed'), <Ago key="used" at={found.lastUsedAt} />],
            [t('shell.foundKey.fact.usedBy'), found.channelManager],
            [t('shell.foundKey.fact.ending'), <Code key="tail">{found.tail}</Code>],
            [t('shell.foundKey.fact.created'), <Time key="created" at={found.createdAt} />],
          ]}
        />
        {status !== 'revoked' && role !== 'admin' && <Text size="sm">{t('shell.foundKey.askAdmin')}</Text>}
        {isSure && <Alert color="red">{t('suppliers.revoke.what')}</Alert>}
        {revoke.error && <ErrorNote error={revoke.error} />}
        <Group justify="flex-end" gap="xs">
          <ButtonTo
            to="/suppliers/$supplierId"
            params={{ supplierId: String(supplierId) }}
            variant="default"
            onClick={onClose}
          >
            {t('shell.foundKey.toSupplier')}
          </ButtonTo>
          {status !== 'revoked' &&
            role === 'admin' &&
            (isSure ? (
              <Button color="red" loading={revoke.isPending} onClick={send}>
                {t('suppliers.revoke.submit')}
              </Button>
            ) : (
              <Button color="red" variant="light" onClick={() => setSure(true)} data-autofocus>
                {t('shell.foundKey.revoke')}
              </Button>
            ))}
        </Group>
      </Stack>
    </Dialog>
  )
}
