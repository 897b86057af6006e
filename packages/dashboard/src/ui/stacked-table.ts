/** On a phone there is no room for columns: each row is a block of its own, with its cells in a line that wraps. */
export const STACKED_TABLE =
  'w-full text-left text-sm max-md:block max-md:[&_tbody]:block max-md:[&_thead]:hidden'
export const STACKED_ROW =
  'hover:bg-raised max-md:flex max-md:flex-wrap max-md:items-baseline max-md:gap-x-3 max-md:gap-y-1 max-md:px-4 max-md:py-3 max-md:[&>*]:min-w-0 max-md:[&>*]:p-0'
