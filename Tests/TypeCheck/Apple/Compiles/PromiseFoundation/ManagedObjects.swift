// The snippets of Docs/Guides/NonSendableValues.md that need Core Data.

#if canImport(CoreData)
  import CoreData
  import PromiseContexts

  func title(of id: NSManagedObjectID, in context: NSManagedObjectContext) -> Promise<String> {
    context.promise { context in
      let note = try context.existingObject(with: id)
      return note.value(forKey: "title") as? String ?? ""
    }
  }
#endif
