/** On a phone there is no space for columns: each row becomes a block with wrapping cells. */
export const STACKED_TABLE =
  'w-full text-left text-sm max-md:block max-md:[&_tbody]:block max-md:[&_thead]:hidden'
export const STACKED_ROW =
  'hover:bg-raised max-md:flex max-md:flex-wrap max-md:items-baseline max-md:gap-x-3 max-md:gap-y-1 max-md:px-4 max-md:py-3 max-md:[&>*]:min-w-0 max-md:[&>*]:p-0'
