import { Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { GoLiveStage } from '../../../../src/console-api/hotels/contract.ts'
import type { SupplierGoLive } from '../../../../src/console-api/suppliers/contract.ts'
import { LinkTo } from '../../parts/link-to.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'

const shownStages = ['ready', 'webhooks', 'ari', 'products'] as const satisfies readonly GoLiveStage[]

/** Whether the supplier sells, and how many hotels are ready or need something, each a link to them; a single hotel is a link to its checklist. */
export function GoLiveState({
  supplierId,
  goLive: { stages, only, open, isMore },
}: {
  supplierId: number
  goLive: SupplierGoLive
}) {
  const { t } = useTranslation()
  const isLive = open > 0
  return (
    <Stack gap={2} align="flex-start">
      <StatusBadge
        kind={isLive ? 'good' : 'wait'}
        label={t(isLive ? 'suppliers.goLive.live' : 'suppliers.goLive.notLive')}
      />
      {shownStages
        .filter((stage) => stages[stage] > 0)
        .map((stage) => (
          <LinkTo key={stage} {...placeOf(supplierId, stage, only[stage])} fz="xs">
            {t(`suppliers.goLive.stage.${stage}`, { count: stages[stage] })}
            {isMore && t('suppliers.goLive.more')}
          </LinkTo>
        ))}
    </Stack>
  )
}

function placeOf(supplierId: number, goLive: GoLiveStage, hotelId: number | undefined) {
  if (hotelId === undefined)
    return { to: '/hotels', search: { supplierId: String(supplierId), goLive } } as const
  return { to: '/hotels/$hotelId', params: { hotelId: String(hotelId) } } as const
}
