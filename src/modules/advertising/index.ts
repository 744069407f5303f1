export { noSuchAdvertisement } from './errors.ts'
export { type AdvertisementRow, advertisementColumns, findAdvertisement } from './queries.ts'
export { Advertisement, AdvertisementInput } from './schema.ts'
export {
  addAdvertisement,
  changeAdvertisement,
  forgetAdvertising,
  readBootAdvertisements,
  removeAdvertisement,
} from './service.ts'
export { advertisementView } from './view.ts'
