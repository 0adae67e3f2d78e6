/** Of a supplier's page: how far it has come. */

export const goLive = {
  title: 'Go-live',
  live: 'live',
  notLive: 'not live yet',
  stage: {
    ready_one: '{{count}} hotel is ready',
    ready_other: '{{count}} hotels are ready',
    webhooks_one: '{{count}} hotel needs webhooks',
    webhooks_other: '{{count}} hotels need webhooks',
    ari_one: '{{count}} hotel needs ARI',
    ari_other: '{{count}} hotels need ARI',
    products_one: '{{count}} hotel needs products',
    products_other: '{{count}} hotels need products',
  },
  more: ' or more',
}

export const certification = {
  title: 'Certification',
  score: '{{score}}% of the checks are proven by traffic.',
  certified: 'The account is certified.',
  notCertified: 'The account is not certified.',
  none: 'No checks',
  show_one: 'Show the check',
  show_other: 'Show all {{count}} checks',
  hide: 'Hide the checks',
  counted: '{{count}} {{state}}',
  check: 'Check',
  level: { required: 'required', recommended: 'recommended' },
  state: 'State',
  states: {
    proven: 'proven',
    failing: 'failing',
    missing: 'not shown yet',
    notApplicable: 'not applicable',
  },
  why: 'What was found',
  evidence: 'Evidence',
}
