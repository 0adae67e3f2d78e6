import { NativeSelect, NumberInput, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { SandboxHotel } from '../../../../src/console/sandbox/contract.ts'
import { HotelChoice } from './hotel-choice.tsx'
import classes from './sandbox.module.css'
import { readAges, type Stay } from './stay.ts'

const adultsMax = 20

/** Hotel, product, dates and party. */
export function StayFields({
  supplierId,
  first,
  hotel,
  stay,
  set,
}: {
  supplierId: number
  first: SandboxHotel
  /** Undefined while it is loading. */
  hotel: SandboxHotel | undefined
  stay: Stay
  set: (some: Partial<Stay>) => void
}) {
  const { t } = useTranslation()
  const products = (hotel?.products ?? []).map(({ roomName, rateName }, index) => ({
    value: String(index),
    label: `${roomName}, ${rateName}`,
  }))
  const instead = hotel ? t('sandbox.booking.noProducts') : t('parts.loading')
  const date = (name: 'checkin' | 'checkout') => (
    <TextInput
      type="date"
      required
      withAsterisk={false}
      label={t(`sandbox.booking.${name}`)}
      min={hotel?.today}
      value={stay[name]}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
    />
  )
  return (
    <div className={classes['fields']}>
      <HotelChoice supplierId={supplierId} first={first} onChoose={(hotelId) => set({ hotelId, place: 0 })} />
      <NativeSelect
        className={classes['wide']}
        label={t('sandbox.booking.product')}
        value={String(stay.place)}
        onChange={(event) => set({ place: Number(event.currentTarget.value) })}
        data={products.length > 0 ? products : [{ value: '0', label: instead, disabled: true }]}
      />
      {date('checkin')}
      {date('checkout')}
      <NumberInput
        label={t('sandbox.booking.adults')}
        min={1}
        max={adultsMax}
        allowDecimal={false}
        value={stay.adults}
        onChange={(value) => set({ adults: typeof value === 'number' ? value : 1 })}
      />
      <TextInput
        label={t('sandbox.booking.children')}
        placeholder={t('sandbox.booking.childrenHint')}
        value={stay.children}
        error={readAges(stay.children) ? undefined : t('sandbox.booking.childrenWrong')}
        onChange={(event) => set({ children: event.currentTarget.value })}
      />
    </div>
  )
}
