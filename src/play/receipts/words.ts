/** The words of the printed receipt, in the languages of the example app. */
import { chooserOf } from '../../core/language-tags.ts'

export interface Words {
  /** BCP 47. */
  lang: string
  dir: 'ltr' | 'rtl'
  receipt: string
  creditNote: string
  number: string
  date: string
  order: string
  seller: string
  taxId: string
  buyer: string
  item: string
  quantity: string
  rate: string
  net: string
  tax: string
  gross: string
  total: string
  points: string
}

const en: Words = {
  lang: 'en',
  dir: 'ltr',
  receipt: 'Receipt',
  creditNote: 'Credit note',
  number: 'Number',
  date: 'Date',
  order: 'Order',
  seller: 'Seller',
  taxId: 'Tax number',
  buyer: 'Buyer',
  item: 'Item',
  quantity: 'Quantity',
  rate: 'Tax rate',
  net: 'Net',
  tax: 'Tax',
  gross: 'Amount',
  total: 'Total',
  points: 'points',
}

const pt: Words = {
  lang: 'pt',
  dir: 'ltr',
  receipt: 'Recibo',
  creditNote: 'Nota de crédito',
  number: 'Número',
  date: 'Data',
  order: 'Encomenda',
  seller: 'Vendedor',
  taxId: 'Número fiscal',
  buyer: 'Comprador',
  item: 'Artigo',
  quantity: 'Quantidade',
  rate: 'Taxa de imposto',
  net: 'Sem imposto',
  tax: 'Imposto',
  gross: 'Valor',
  total: 'Total',
  points: 'pontos',
}

const ptBr: Words = { ...pt, lang: 'pt-BR', order: 'Pedido', rate: 'Alíquota', item: 'Item' }

const ar: Words = {
  lang: 'ar',
  dir: 'rtl',
  receipt: 'إيصال',
  creditNote: 'إشعار دائن',
  number: 'الرقم',
  date: 'التاريخ',
  order: 'الطلب',
  seller: 'البائع',
  taxId: 'الرقم الضريبي',
  buyer: 'المشتري',
  item: 'الصنف',
  quantity: 'الكمية',
  rate: 'نسبة الضريبة',
  net: 'بدون ضريبة',
  tax: 'الضريبة',
  gross: 'المبلغ',
  total: 'المجموع',
  points: 'نقاط',
}

export const wordsFor = chooserOf(en, pt, ptBr, ar)
