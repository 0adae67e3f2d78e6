import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { boundOfKind } from '../../../../src/ari/guard/rules/rules-contract.ts'
import type { ConsoleGuard, LapsedRule } from '../../../../src/console-api/guard/contract.ts'
import { useApi, useChange } from '../../api.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Can } from '../../parts/session.tsx'
import { GuardForm } from './guard-form.tsx'
import classes from './suppliers.module.css'

/** The guard of an account; the supplier can change it too. */
export function GuardPanel({ supplierId }: { supplierId: number }) {
  const { t } = useTranslation()
  const [isEditing, setEditing] = useState(false)
  const { data, error, refetch } = useApi('getSupplierGuard', { params: { supplierId } })
  const save = useChange('setSupplierGuard', { invalidates: ['getSupplierGuard'] })
  return (
    <section className={classes['panel']} aria-labelledby="guard">
      <Title order={2} id="guard" mb="sm">
        {t('guard.title')}
      </Title>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data && (
        <Stack gap="xs">
          <Rules guard={data.guard} lapsed={data.lapsed} />
          <Can role="admin">
            <Group>
              <Button variant="default" onClick={() => setEditing(true)}>
                {t('guard.change')}
              </Button>
            </Group>
          </Can>
        </Stack>
      )}
      {data && isEditing && (
        <GuardForm
          title={t('guard.title')}
          about={t('guard.ofHotels')}
          guard={data.guard}
          isBusy={save.isPending}
          error={save.error}
          onSave={(body) =>
            save.mutate({ params: { supplierId }, body }, { onSuccess: () => setEditing(false) })
          }
          onClose={() => setEditing(false)}
        />
      )}
    </section>
  )
}

type RulesProps = { guard: ConsoleGuard; lapsed: LapsedRule[] | undefined }

function Rules({ guard: { rules, learned, expiryHours, onExpiry }, lapsed }: RulesProps) {
  const { t } = useTranslation()
  if (rules.length === 0 && !learned) return <Text size="sm">{t('guard.isOff')}</Text>
  return (
    <>
      {rules.map((rule, index) => {
        const { kind, action, currency = '' } = rule
        const unit = kind === 'priceDrop' || kind === 'priceRise' ? '%' : currency
        const ofFormer = lapsed?.find((one) => one.rule === index)
        return (
          <Text key={index} size="sm">
            {t('guard.rule', {
              kind: t(`guard.kinds.${kind}`),
              bound: `${rule[boundOfKind[kind]] ?? ''}${unit === '%' ? '' : ' '}${unit}`.trim(),
              action: t(`guard.actions.${action}`),
            })}
            {ofFormer && (
              <Text span size="xs" display="block">
                {t('guard.lapsed', {
                  count: ofFormer.hotels,
                  hotels: ofFormer.hotelIds.join(', '),
                })}
              </Text>
            )}
          </Text>
        )
      })}
      {learned && <Text size="sm">{t('guard.fromLearned')}</Text>}
      <Text size="xs" c="dimmed">
        {t('guard.expiry', { hours: expiryHours, onExpiry: t(`guard.end.${onExpiry}`) })}
      </Text>
    </>
  )
}

/** What new accounts begin with. */
export function DefaultGuard({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const { data } = useApi('getDefaultGuard')
  const save = useChange('setDefaultGuard', { invalidates: ['getDefaultGuard'] })
  if (!data) return null
  return (
    <GuardForm
      title={t('guard.newAccounts')}
      about={t('guard.newAccountsAbout')}
      guard={data.guard}
      isBusy={save.isPending}
      error={save.error}
      onSave={(body) =>
        save.mutate(
          { body },
          {
            onSuccess: () => {
              notifications.show({ message: t('guard.saved') })
              onClose()
            },
          },
        )
      }
      onClose={onClose}
    />
  )
}
