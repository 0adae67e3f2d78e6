import { Button, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ChecklistStep } from '../../../../src/console-api/hotels/contract.ts'
import { useChange } from '../../api.ts'
import { FormDialog } from '../../parts/dialogs.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Can } from '../../parts/session.tsx'
import { Time } from '../../parts/values/time.tsx'

type Props = { step: ChecklistStep; supplier: { supplierId: number; supplier: string } }

/** Marks a step as not needed for the hotels of a supplier, or takes that back. */
export function UnneededStep({ step, supplier }: Props) {
  const { t } = useTranslation()
  const { unneeded, status, isOptional } = step
  if (isOptional !== true || status === 'done') return null
  if (unneeded === undefined)
    return (
      <Can role="operator">
        <MarkButton step={step} supplier={supplier} />
      </Can>
    )
  const { reason, operator, at } = unneeded
  return (
    <>
      <Text size="sm" component="div">
        {operator === null
          ? t('hotels.check.unneededByPlatform', { reason })
          : t('hotels.check.unneededBy', { reason, operator })}
        {', '}
        <Time at={at} />
      </Text>
      <Can role="operator">
        <NeededButton step={step} supplier={supplier} />
      </Can>
    </>
  )
}

const useChangeStep = () =>
  useChange('changeGoLiveStep', { invalidates: ['getHotel', 'listHotels', 'getSupplier'] })

function MarkButton({ step: { step }, supplier: { supplierId, supplier } }: Props) {
  const { t } = useTranslation()
  const [isOpen, setOpen] = useState(false)
  const [reason, setReason] = useState('')
  const change = useChangeStep()
  const name = t(`hotels.check.${step}.name`)
  const close = (): void => {
    setOpen(false)
    setReason('')
    change.reset()
  }
  return (
    <>
      <Button
        variant="default"
        size="compact-xs"
        mt={4}
        aria-label={t('hotels.check.markWhat', { name })}
        onClick={() => setOpen(true)}
      >
        {t('hotels.check.mark')}
      </Button>
      <FormDialog
        isOpen={isOpen}
        onClose={close}
        title={t('hotels.check.markTitle', { name })}
        submit={t('hotels.check.markSubmit')}
        isBusy={change.isPending}
        isReady={reason.trim() !== ''}
        error={change.error}
        onSubmit={() =>
          change.mutate(
            { params: { supplierId, step }, body: { isNeeded: false, reason } },
            { onSuccess: close },
          )
        }
      >
        <Text size="sm">{t('hotels.check.markAbout', { supplier })}</Text>
        <TextInput
          label={t('hotels.check.markReason')}
          description={t('hotels.check.markReasonAbout')}
          required
          maxLength={200}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          data-autofocus
        />
      </FormDialog>
    </>
  )
}

function NeededButton({ step: { step }, supplier: { supplierId } }: Props) {
  const { t } = useTranslation()
  const change = useChangeStep()
  return (
    <>
      <Button
        variant="default"
        size="compact-xs"
        mt={4}
        loading={change.isPending}
        aria-label={t('hotels.check.unmarkWhat', { name: t(`hotels.check.${step}.name`) })}
        onClick={() => change.mutate({ params: { supplierId, step }, body: { isNeeded: true } })}
      >
        {t('hotels.check.unmark')}
      </Button>
      {change.error && <ErrorNote error={change.error} />}
    </>
  )
}
