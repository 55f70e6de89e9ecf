/** The demonstration sponsors. */
import { pictureUrl } from './pictures/address.ts'

export const sponsors = [
  {
    id: 'northlight-energy',
    name: {
      en: 'Northlight Energy',
      pt: 'Northlight Energia',
      'pt-BR': 'Northlight Energia',
      ar: 'نورثلايت للطاقة',
    },
    url: 'https://northlight-energy.example/',
  },
  {
    id: 'tideline-ferries',
    name: {
      en: 'Tideline Ferries',
      pt: 'Ferries Tideline',
      'pt-BR': 'Balsas Tideline',
      ar: 'عبّارات تايدلاين',
    },
    url: 'https://tideline-ferries.example/',
  },
].map(sponsor => ({ ...sponsor, imageUrl: pictureUrl('sponsors', sponsor.id) }))
