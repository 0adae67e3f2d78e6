import { useTranslation } from 'react-i18next'
import classes from './calendar.module.css'
import { Marker } from './nights-tile.tsx'

const markers = [
  { key: 'stop', text: 'S', look: 'stop' },
  { key: 'closed', text: '✕', look: 'closed' },
  { key: 'arrival', text: 'A', look: 'arrival' },
  { key: 'departure', text: 'D', look: 'departure' },
  { key: 'stayArrival', text: '≥2', look: 'stayArrival' },
  { key: 'stayThrough', text: '≥2', look: 'stayThrough' },
  { key: 'advance', text: '≥2d', look: 'advance' },
  { key: 'ownUnits', text: '4', look: 'ownUnits' },
] as const
const swatches = ['shut', 'soldOut', 'missing', 'weekend'] as const

/** The meaning of each symbol, shape and colour. */
export function Legend() {
  const { t } = useTranslation()
  return (
    <ul
      className={`${classes['colours'] ?? ''} ${classes['legend'] ?? ''}`}
      aria-label={t('calendar.legend.title')}
    >
      {markers.map(({ key, text, look }) => (
        <li key={key}>
          <Marker text={text} look={look} />
          {t(`calendar.legend.${key}`)}
        </li>
      ))}
      {swatches.map((look) => (
        <li key={look}>
          <span className={`${classes['swatch'] ?? ''} ${classes[look] ?? ''}`} aria-hidden />
          {t(`calendar.legend.${look}`)}
        </li>
      ))}
    </ul>
  )
}
