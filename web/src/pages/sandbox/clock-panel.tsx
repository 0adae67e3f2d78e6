import { Button, Group, NativeSelect, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApi, useChange } from '../../api.ts'
import { Confirm } from '../../parts/dialogs.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Time } from '../../parts/values/time.tsx'
import classes from './sandbox.module.css'

const steps = ['PT10S', 'PT30M', 'PT1H', 'P1D', 'P3D', 'P30D'] as const
type Step = (typeof steps)[number]

/** The clock of the supplier's hotels, and the removal of all of them. */
export function ClockPanel({ supplierId, mayTry }: { supplierId: number; mayTry: boolean }) {
  const { t } = useTranslation()
  const { data, error, refetch } = useApi('getSandboxClock', { params: { supplierId } })
  const isAhead = data !== undefined && data.clock.aheadBy !== 'PT0S'
  return (
    <section className={classes['panel']} aria-labelledby="clock">
      <Title order={2} id="clock" mb={4}>
        {t('sandbox.clock.title')}
      </Title>
      <Text size="sm" mb="sm">
        {t('sandbox.clock.what')}
      </Text>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data && (
        <Text size="sm" mb="sm" role="status">
          {isAhead ? (
            <>
              {t('sandbox.clock.ahead')} <Time at={data.clock.now} />
            </>
          ) : (
            t('sandbox.clock.present')
          )}
        </Text>
      )}
      {mayTry && (
        <Group align="end" gap="sm">
          <Advance supplierId={supplierId} />
          <Reset supplierId={supplierId} />
        </Group>
      )}
    </section>
  )
}

const afterStep = ['getSandboxClock', 'listSandboxHotels'] as const

function Advance({ supplierId }: { supplierId: number }) {
  const { t } = useTranslation()
  const [step, setStep] = useState<Step>('P1D')
  const advance = useChange('advanceSandboxClock', { invalidates: afterStep })
  return (
    <>
      <NativeSelect
        label={t('sandbox.clock.step')}
        value={step}
        onChange={(event) => setStep(steps.find((one) => one === event.currentTarget.value) ?? step)}
        data={steps.map((value) => ({ value, label: t(`sandbox.clock.steps.${value}`) }))}
      />
      <Button
        loading={advance.isPending}
        onClick={() => advance.mutate({ params: { supplierId }, body: { advanceBy: step } })}
      >
        {t('sandbox.clock.advance')}
      </Button>
      {advance.error && <ErrorNote error={advance.error} />}
    </>
  )
}

const afterReset = [...afterStep, 'listSandboxFaults', 'listHotels', 'getSupplier', 'listSuppliers'] as const

function Reset({ supplierId }: { supplierId: number }) {
  const { t } = useTranslation()
  const [isAsking, setIsAsking] = useState(false)
  const reset = useChange('resetSandboxAccount', { invalidates: afterReset })
  return (
    <>
      <Button color="red" variant="light" onClick={() => setIsAsking(true)}>
        {t('sandbox.clock.reset')}
      </Button>
      <Confirm
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title={t('sandbox.clock.resetTitle')}
        confirm={t('sandbox.clock.resetConfirm')}
        onConfirm={() => reset.mutate({ params: { supplierId } }, { onSuccess: () => setIsAsking(false) })}
        isBusy={reset.isPending}
        isDangerous
        error={reset.error}
      >
        {t('sandbox.clock.resetWhat')}
      </Confirm>
      {reset.data && (
        <Text size="sm" role="status">
          {t('sandbox.clock.removed', { ...reset.data.removed })}
        </Text>
      )}
    </>
  )
}
