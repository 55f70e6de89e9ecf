/** What `runFanSession` notes. */
export const SESSION = [
  'Bearer',
  'profile Ada',
  'onboarding completed 100',
  'scarf true, shirt false',
  'missing 4900',
  'scarf claimed',
  'code true',
  '3 items, proof holds',
  'history holds',
  'balance 50',
  'events true',
  'signed out',
  'unauthenticated',
]
